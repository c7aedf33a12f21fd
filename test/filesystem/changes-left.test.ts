/** What did mounts that are gone leave in a state directory, and what is left there when a person discards some of it? */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { put } from '../../src/content/journal/journal.ts';
import { draftsIn } from '../../src/content/left-behind.ts';
import { nodeLocalFiles } from '../../src/content/local-files.ts';
import { changesLeftIn, discardLeftIn, lookIntoLeft } from '../../src/filesystem/left-behind/changes-left.ts';
import { deletionOf, draftFactsOf, draftRecordOf, shelvedOf } from '../support/journal-records.ts';
import { leaveDraft, leaveRecords, leaveSetAside } from '../support/left-behind.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const WHOLE = { sealed: { size: 0, md5: null, at: 1 } };

/** The file of an empty draft, of which no record says anything yet. Resolves with its identifier. */
async function draftIn(directory: string, key: string): Promise<string> {
  await leaveDraft(directory, key);
  const found = await draftsIn(directory, nodeLocalFiles).list();
  return String(found.find(({ header }) => 'key' in header && header.key === key)?.id);
}

/** Two scratch files, as their records and their files say. Resolves with their identifiers. */
async function withTwoOnTheShelf(directory: string): Promise<string[]> {
  const ids = [await draftIn(directory, 'one'), await draftIn(directory, 'two')];
  await leaveRecords(
    directory,
    ids.map((id, index) => put('shelved', { ...shelvedOf(id), path: `/.${index}.swp` })),
  );
  return ids;
}

const shown = async (directory: string): Promise<string[]> =>
  (await changesLeftIn(directory, systemClock)).map(({ kind, path }) => `${kind} ${path}`);

const discard = async (directory: string, id: string): Promise<void> => {
  const told = await discardLeftIn(directory, [id], { clock: systemClock, log: silentLog });
  expect(told).toMatchObject([{ id, isDone: true }]);
};

it('in hand is what nobody has set aside and no close has promised: not what is recorded as either', async () => {
  const directory = await temporaryDirectory();
  await leaveSetAside(directory, 'aside', 'refused');
  const promised = await draftIn(directory, 'promised');
  await leaveRecords(directory, [
    put('draft', draftRecordOf(promised, { facts: draftFactsOf('promised', WHOLE), state: 'failed' })),
  ]);
  const unknown = await draftIn(directory, 'unknown');

  const { changes, inHand } = await lookIntoLeft(directory, systemClock);

  expect(changes.map(({ path, state }) => `${path} ${state}`).sort()).toEqual([
    '/aside set aside',
    '/promised failed',
    '/unknown set aside',
  ]);
  expect([...inHand]).toEqual([unknown]);
});

it('scratch files are listed as such, each once, unless their bytes are gone [uploads/list]', async () => {
  const directory = await temporaryDirectory();
  const [, second = ''] = await withTwoOnTheShelf(directory);
  await leaveRecords(directory, [put('shelved', { ...shelvedOf('gone'), path: '/.gone.swp' })]);

  expect(await shown(directory)).toEqual(['scratch /.0.swp', 'scratch /.1.swp']);

  // From the shelf to the service: the record of the upload comes first.
  await leaveRecords(directory, [
    put('draft', draftRecordOf(second, { facts: draftFactsOf('two', WHOLE), state: 'failed' })),
  ]);
  expect((await shown(directory)).sort()).toEqual(['scratch /.0.swp', 'upload /two']);
});

it('one of two scratch files is discarded: the other is a scratch file still [uploads/discard]', async () => {
  const directory = await temporaryDirectory();
  const [first = '', second = ''] = await withTwoOnTheShelf(directory);

  await discard(directory, first);

  expect(await shown(directory)).toEqual(['scratch /.1.swp']);
  expect(await readdir(join(directory, 'drafts'))).toEqual([second]);
});

it('one of two deletions is discarded: the other waits still [uploads/discard]', async () => {
  const directory = await temporaryDirectory();
  await leaveRecords(directory, [
    put('deletion', deletionOf(1, { key: 'one' })),
    put('deletion', deletionOf(2, { key: 'two' })),
  ]);
  const [first] = await changesLeftIn(directory, systemClock);

  await discard(directory, String(first?.id));

  expect(await shown(directory)).toEqual(['delete /two']);
});
