/** What does a mount that was killed leave in a state directory, when it had one file that was not stored? */
import { claimStateDirectory, type StateOwner } from '../../src/cli/state-directory.ts';
import { draftsIn } from '../../src/content/left-behind.ts';
import { nodeLocalFiles } from '../../src/content/local-files.ts';
import { draftFactsOf } from './journal-records.ts';

/** The file is empty. Resolves with the state directory. */
export async function leaveBehind(stateHome: string, owner: StateOwner, key: string): Promise<string> {
  const state = await claimStateDirectory(stateHome, owner);
  const facts = draftFactsOf(key, { sealed: { size: 0, md5: null, at: 1 } });
  await (await draftsIn(state.path, nodeLocalFiles).create(facts)).close();
  await state.release();
  return state.path;
}
