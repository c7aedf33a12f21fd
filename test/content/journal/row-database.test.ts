/** Rows that were to be made with a commit that has failed: what is asked for them afterwards comes after. */
import { expect, it, onTestFinished } from 'vitest';
import { RowDatabase } from '../../../src/content/journal/row-database.ts';
import { refuseCommitLater } from '../../support/journal-commits.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

it('a row that was to go along is as whoever asked last for it meant it, also when the disk refuses it first', async () => {
  const rows = await RowDatabase.open(await temporaryDirectory());
  onTestFinished(() => rows.close());
  rows.alongWithNext([{ type: 'put', key: 'row', value: 'before' }]);
  const refused = refuseCommitLater('put row before');
  const first = expect(rows.write()).rejects.toThrow();
  await refused.begun;

  const second = rows.commit([{ type: 'put', key: 'row', value: 'after' }], 'synced');
  refused.letGo();
  await Promise.all([first, second]);

  expect(await rows.get('row')).toBe('after');
});
