/** Which mountpoint does a person mean, and what has its mount written down? */
import { resolve } from 'node:path';
import { canonicalPath } from '../fuse/mountpoint.ts';
import { CommandError, exitCodes } from './command-error.ts';
import { readRecord, type MountRecord } from './mount-record.ts';

/** The canonical path. Rejects with a `CommandError` when there is nothing at `path`. */
export async function canonicalMountpoint(path: string): Promise<string> {
  const absolute = resolve(path);
  return canonicalPath(absolute).catch((error: unknown) => {
    throw new CommandError(exitCodes.failed, `${absolute} does not exist: nothing is mounted there`, {
      cause: error,
    });
  });
}

/** Undefined when `path` is no mount of pailfs. Rejects with a `CommandError` when there is nothing at `path`. */
export async function recordOfMountpoint(
  directories: readonly string[],
  path: string,
): Promise<MountRecord | undefined> {
  // As it was written first: a mount that does not answer cannot be looked at.
  return (
    (await readRecord(directories, resolve(path))) ??
    (await readRecord(directories, await canonicalMountpoint(path)))
  );
}
