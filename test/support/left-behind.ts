/** What does a mount that was killed leave in a state directory, when it had one file that was not stored? */
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { claimStateDirectory, type StateOwner } from '../../src/cli/state/state-directory.ts';
import { Journal, put, type JournalChange } from '../../src/content/journal/journal.ts';
import { draftsIn } from '../../src/content/left-behind.ts';
import { nodeLocalFiles } from '../../src/content/local-files.ts';
import { draftFactsOf, draftRecordOf } from './journal-records.ts';

/** The file is empty. Resolves with the state directory. */
export async function leaveBehind(stateHome: string, owner: StateOwner, key: string): Promise<string> {
  const state = await claimStateDirectory(stateHome, owner);
  await leaveDraft(state.path, key);
  await state.release();
  return state.path;
}

/** The state directory of another mount of the bucket whose first one is `directory`, killed as well. */
export async function leaveAnother(directory: string): Promise<string> {
  const another = join(dirname(directory), String(Number(basename(directory)) + 1));
  await leaveRecords(another, []);
  return another;
}

/** An empty file that a close has promised, and that the journal does not know. */
export async function leaveDraft(directory: string, key: string): Promise<void> {
  await mkdir(join(directory, 'drafts'), { recursive: true });
  const facts = draftFactsOf(key, { sealed: { size: 0, md5: null, at: 1 } });
  await (await draftsIn(directory, nodeLocalFiles).create(facts)).close();
}

/** As `leaveDraft`, of one that was set aside for `reason`, as the journal says. */
export async function leaveSetAside(directory: string, key: string, reason: string): Promise<void> {
  const facts = draftFactsOf(key, { sealed: { size: 0, md5: null, at: 1 } });
  const draft = await draftsIn(directory, nodeLocalFiles).create(facts);
  await draft.close();
  await leaveRecords(directory, [
    put('draft', draftRecordOf(draft.id, { facts, state: 'set aside', reason })),
  ]);
}

/** In the journal of `directory`. Resolves with its identifier. */
export async function leaveRecords(directory: string, changes: readonly JournalChange[]): Promise<string> {
  await mkdir(directory, { recursive: true });
  const journal = await Journal.open({ directory, clock: systemClock, log: silentLog });
  await journal.commit(changes);
  await journal.close();
  return journal.id;
}
