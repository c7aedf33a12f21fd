/** SEMANTICS: a rename takes the place of a file that waits, and the local disk does not note that nobody wants that any more: a kill loses neither. */
import { expect, it } from 'vitest';
import { mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { disksAtEachCommit } from '../support/journal-commits.ts';
import { openForTest, writeFile } from '../support/open-for-test.ts';
import { errnoOfCall } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

it('what was renamed is whole after a kill at any moment from then on [rename/copy] [rename/crash]', async () => {
  const scene = await openForTest();
  await scene.foreignWrite('s', 'precious');
  scene.faults.add({ operation: 'putObject', fault: { kind: 'status', status: 503 } });
  expect(await errnoOfCall(writeFile(scene.fs, '/t', 'waits'))).toBe('EIO');
  const [, , ...disks] = await disksAtEachCommit(scene, () => scene.fs.rename('/s', '/t', false), [
    'put draft/',
    '"stored"',
  ]);

  // Before the copy was announced, and before that note, the old file was there.
  expect(disks.length).toBeGreaterThan(1);
  for (const disk of disks) {
    await drained(await mountOver(disk, scene));
    expect(await textsOf(scene)).toEqual({ t: 'precious' });
  }
});
