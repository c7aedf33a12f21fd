/** Which mountpoint does a person mean, and is what is mounted there pailfs's? */
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { systemErrorCode } from '../base/errors.ts';
import { MOUNT_TYPE } from '../fuse/mountpoint.ts';
import { CommandError, exitCodes } from './command-error.ts';

/** The canonical path. Rejects with a `CommandError` when there is nothing at `path`. */
export async function canonicalMountpoint(path: string): Promise<string> {
  const absolute = resolve(path);
  try {
    return await realpath(absolute);
  } catch (error) {
    const code = systemErrorCode(error);
    // A dead mount cannot be looked at; the directory above it can.
    if (code === 'ENOTCONN' || code === 'ENXIO') {
      return join(await realpath(dirname(absolute)), basename(absolute));
    }
    throw new CommandError(exitCodes.failed, `${absolute} does not exist: nothing is mounted there`, {
      cause: error,
    });
  }
}

/** Whether a file system of this type, as the mount table shows it, may be pailfs's. */
export function isOurType(type: string): boolean {
  return type === MOUNT_TYPE || (process.platform === 'darwin' && type.includes('fuse'));
}
