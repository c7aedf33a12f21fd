/**
 * Which bucket does a line of /etc/fstab name? mount(8) makes an absolute path of a source that is something in its working directory
 * (of `photos` in /mnt, where it is the mountpoint), with symbolic links resolved, before it calls its helper.
 */
import { readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import { CommandError, exitCodes } from '../command-error.ts';

/**
 * The word that mount(8) was given for `source` in `directory`, which has no symbolic links in its path. `source` itself where it is no
 * path, or where that is not certain. Never rejects.
 */
export async function namedBucket(source: string, directory: string): Promise<string> {
  if (!path.isAbsolute(source) || path.dirname(source) !== directory) return source;
  const links = await targetsIn(directory);
  // A link beside it may have been the word: another bucket must not be mounted for that.
  return links === undefined || links.includes(source) ? source : path.basename(source);
}

/** Throws for what no bucket can be called: its name would have a slash. */
export function refusePath(bucket: string): void {
  if (!path.isAbsolute(bucket)) return;
  throw new CommandError(
    exitCodes.mountFailure,
    `${bucket} is no bucket: mount(8) makes a path of a bucket when the working directory has something of that name; run it in another directory, or with -c`,
  );
}

/** Where symbolic links lead, each by one step: none is followed, since a mount that does not answer may lie there. */
async function targetsIn(directory: string): Promise<readonly string[] | undefined> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    const links = entries.filter((entry) => entry.isSymbolicLink());
    return await Promise.all(
      links.map(async ({ name }) => path.resolve(directory, await readlink(path.join(directory, name)))),
    );
  } catch {
    return undefined;
  }
}
