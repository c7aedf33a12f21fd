/** `pailfs refresh`: what somebody else has just changed is to be seen at once. */
import type { ExitCode } from './command-error.ts';
import { throwInWords } from './control-client.ts';
import { outcomeOf, tellOutcomes, type DirectOutcome } from './direct/print.ts';
import { findMountedPath } from './mounted-path.ts';

/** Goes on after one that fails. Silent about what is done. */
export async function runRefresh(words: readonly string[], json: boolean): Promise<ExitCode> {
  const outcomes: DirectOutcome[] = [];
  for (const word of words) {
    const refreshed = async (): Promise<object> => {
      const { path, control } = await findMountedPath(word);
      await control.refresh(path).catch(throwInWords);
      return {};
    };
    outcomes.push(await outcomeOf(word, refreshed));
  }
  return tellOutcomes(outcomes, json, 'is not refreshed', () => null);
}
