/** Which mountpoint does a person mean, and what have its mounts written down? */
import { resolve } from 'node:path';
import { readMountTable } from '../../fuse/mount-table.ts';
import { canonicalPath, isOurType } from '../../fuse/mountpoint.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { mountOnTheWay, mountpointsOf } from './mount-on-the-way.ts';
import { readRecordsOf, type MountRecord } from './mount-record.ts';

/** The canonical path. Rejects with a `CommandError` when there is nothing at `path`; what is in a mount of pailfs is not looked at. */
export async function canonicalMountpoint(path: string): Promise<string> {
  const absolute = resolve(path);
  const inMount = await mountOnTheWay(absolute, await readMountTable());
  if (inMount !== undefined) return inMount.path;
  return canonicalPath(absolute).catch((error: unknown) => {
    throw new CommandError(exitCodes.failed, `${absolute} does not exist: nothing is mounted there`, {
      cause: error,
    });
  });
}

/**
 * The latest first; of a bind mount those of the mount that it shows. Rejects with a `CommandError` when there is nothing at `path`, no mount of
 * pailfs, for which it says where else to look, or a mount of which this user may know nothing.
 */
export async function recordsOfMountpoint(
  directories: readonly string[],
  path: string,
  asked: 'status' | 'uploads',
): Promise<readonly MountRecord[]> {
  // As it was written first: a mount that does not answer cannot be looked at.
  const written = await readRecordsOf(directories, resolve(path));
  if (written.length > 0) return written;
  const mountpoint = await canonicalMountpoint(path);
  const table = await readMountTable();
  const mount = table.findLast((entry) => entry.mountpoint === mountpoint);
  const isOurs = mount !== undefined && isOurType(mount.type);
  for (const place of isOurs ? mountpointsOf(mount, table) : [mountpoint]) {
    const records = await readRecordsOf(directories, place);
    if (records.length > 0) return records;
  }
  throw new CommandError(
    exitCodes.failed,
    isOurs
      ? `nobody can be asked about ${mountpoint}: it is another user's mount, or its process could not record it; that user can ask, and so can root`
      : `${path} is no mount of pailfs: ${asked === 'uploads' ? '"pailfs uploads" without it lists all that is not stored' : '"pailfs status" lists them'}`,
  );
}
