/** `pailfs refresh`: what somebody else has just changed is to be seen at once. */
import type { ExitCode } from '../command-error.ts';
import { throwInWords } from '../control/control-client.ts';
import { outcomeOf, Telling } from '../direct/outcomes.ts';
import { findMountedPath } from '../found-mounts/mounted-path.ts';

/** Goes on after one that fails. Silent about what is done. */
export async function runRefresh(
  words: readonly string[],
  { json, debug }: { readonly json: boolean; readonly debug: boolean },
): Promise<ExitCode> {
  const telling = new Telling({ json, debug, failure: 'is not refreshed', success: () => null });
  for (const word of words) {
    const refreshed = async (): Promise<object> => {
      const { path, control } = await findMountedPath(word);
      await control.refresh(path).catch(throwInWords);
      return {};
    };
    telling.tell(await outcomeOf(word, refreshed));
  }
  return telling.end();
}
