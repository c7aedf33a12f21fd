/** Where does what `pailfs get` fetches go? Into a file, into a directory, through a pipe, or to stdout. */
import { readlink, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { inWords, systemErrorCode } from '../../base/errors.ts';
import { CommandError, exitCodes } from '../command-error.ts';

export type Place = 'file' | 'directory' | 'device' | 'stdout';

/** What is at `path`; a file, where nothing is. Rejects with a `CommandError` when nothing can be put there. */
export async function placeAt(path: string): Promise<Place> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'directory';
    // A rename would put a file in the place of a pipe or /dev/null.
    return found.isFile() ? 'file' : 'device';
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT')
      throw new CommandError(exitCodes.failed, `${path} cannot be written: ${inWords(error, path)}`);
    const directory = path.endsWith('/') ? path : dirname(path);
    if (await isThere(directory)) return 'file';
    throw new CommandError(exitCodes.failed, `there is no directory ${directory}`);
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Where a symbolic link leads, also to what is not there yet; it stays one. */
export async function followed(target: string): Promise<string> {
  try {
    return await realpath(target);
  } catch (error) {
    // EACCES: who is in a directory need not have the right to look for it from the top.
    if (!['ENOENT', 'EACCES'].includes(systemErrorCode(error) ?? '')) throw error;
    // Where it is no link, or cannot be told to be one, who opens it hears why.
    const led = await readlink(target).catch(() => null);
    if (led === null) return target;
    // `join` would take `..` for the directory above a link to a directory.
    return followed(isAbsolute(led) ? led : `${dirname(target)}/${led}`);
  }
}
