/** Are the words of a command line those that the person gave? Node replaces what is not UTF-8: another key, or a file that is not there. */
import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { usageError } from './command-error.ts';

const REPLACEMENT = '\uFFFD';
/** As the kernel has them, each ended by NUL; not on macOS. */
const GIVEN = '/proc/self/cmdline';

/** Rejects with a usage error that names the word. A U+FFFD that was given is a character like any other. */
export async function requireUtf8(words: readonly string[]): Promise<void> {
  const suspect = words.find((word) => word.includes(REPLACEMENT));
  if (suspect === undefined) return;
  // Where that cannot be read nobody can tell the two apart, and a name that is right must not be refused.
  const given = await readFile(GIVEN).catch(() => undefined);
  if (given === undefined || isUtf8(given)) return;
  throw usageError(
    `${suspect} is not valid UTF-8, as all names here are: give a file of such a name on stdin`,
  );
}
