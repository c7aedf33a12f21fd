/**
 * Of which mounts that were killed, and are mounted nowhere any more, is it known that everything is stored? Nobody mounts again where they
 * were, perhaps because that was moved: what is recorded of them would stay in the status for good.
 */
import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { systemErrorCode } from '../../base/errors.ts';
import { findMount } from '../../fuse/mount-table.ts';
import { putAway } from '../found-mounts/ended-records.ts';
import type { MountRecord } from '../found-mounts/mount-record.ts';
import { isRunning } from '../found-mounts/process-identity.ts';
import { listLeftDirectories } from '../state/left-directories.ts';
import { canonicalDirectory } from '../state/state-pointers.ts';

/** All that is not stored of what was kept in `directories`. */
export interface LookedAt {
  readonly directories: readonly string[];
  readonly bucket: string | null;
  readonly baseUrl: string | null;
  readonly isEmpty: boolean;
}

/** Puts the records of those away. One that cannot be, as on a disk that is read-only by now, is shown on. */
export async function putAwaySettled(
  records: readonly MountRecord[],
  places: readonly LookedAt[],
  { directories, clock }: { readonly directories: readonly string[]; readonly clock: Pick<Clock, 'now'> },
): Promise<void> {
  for (const record of records) {
    if (!(await isSettled(record, places)) || !(await isOver(record))) continue;
    await putAway(directories, record, clock).catch((error: unknown) => {
      // Whoever asked wants to know what is not stored, and that is known.
      if (systemErrorCode(error) === undefined) throw error;
    });
  }
}

/** False, too, where nothing is seen of what it kept its bytes in: its disk may be missing. */
async function isSettled(record: MountRecord, places: readonly LookedAt[]): Promise<boolean> {
  const { stateDir, bucket, baseUrl } = record;
  if (stateDir === null) return false;
  const home = join(await canonicalDirectory(stateDir), sep);
  const its = places.filter(
    (place) =>
      place.baseUrl === baseUrl &&
      (bucket === null || place.bucket === bucket) &&
      place.directories.some((path) => path.startsWith(home)),
  );
  if (its.length > 0) return its.every(({ isEmpty }) => isEmpty);
  return bucket === null && (await keptNothing(record, home));
}

/** Whether it is one of all buckets of which no program has looked into any: only its log is in `home` then, and tells that its disk is there. */
async function keptNothing({ logFile, baseUrl }: MountRecord, home: string): Promise<boolean> {
  if (logFile === null) return false;
  try {
    if (!(await realpath(logFile)).startsWith(home)) return false;
    const { directories, unreadable } = await listLeftDirectories(home);
    const mayBeIts = directories.some(({ about }) => about === null || about.baseUrl === baseUrl);
    return unreadable.length === 0 && !mayBeIts;
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return false;
  }
}

async function isOver({ process, mountpoint }: MountRecord): Promise<boolean> {
  return !(await isRunning(process)) && (await findMount(mountpoint)) === undefined;
}
