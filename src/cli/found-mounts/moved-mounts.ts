/**
 * Where are mounts now that are recorded elsewhere? Who renames a directory takes along what is mounted below it, and no process hears of
 * that. The device of a mount goes with it.
 */
import { presentMountpoint, type MountEntry } from '../../fuse/mount-table.ts';
import { isOurType } from '../../fuse/mountpoint.ts';

interface Recorded {
  readonly mountpoint: string;
  /** Its name; null: all of the account. */
  readonly bucket: string | null;
  /** Null where the platform does not tell. */
  readonly device: string | null;
}

/**
 * `recordedAt`: the mountpoint of which the record speaks, and after which its files are named; absent: `mountpoint` itself. `isOnTop`: it is
 * what is mounted there, whatever the clock said of when.
 */
export type Found<Record extends Recorded> = Record & {
  readonly recordedAt?: string;
  readonly isOnTop?: boolean;
};

/** What the mount table has as the source of a mount of `bucket`. */
export function sourceOf(bucket: string | null): string {
  // A comma would begin another mount option.
  return bucket?.replaceAll(',', '_') ?? 'pailfs';
}

/**
 * Whether what is mounted at `mountpoint` is a mount of somebody else than `user`, who then has nothing to say of it: root would ask a
 * process of that user about a mount of its own. What root has written down is believed.
 */
export function isAnothers(mountpoint: string, user: number, table: readonly MountEntry[]): boolean {
  const mount = table.findLast((entry) => entry.mountpoint === mountpoint);
  return user !== 0 && mount !== undefined && isOurType(mount.type) && (mount.owner ?? user) !== user;
}

/** With whether it is what is seen at its mountpoint. */
export function whetherOnTop<Record extends Recorded>(
  record: Found<Record>,
  table: readonly MountEntry[],
): Found<Record> {
  const { mountpoint, bucket, device } = record;
  const top = table.findLast((entry) => entry.mountpoint === mountpoint && isOurType(entry.type));
  const isOnTop = top?.device === device && top.source === sourceOf(bucket);
  return isOnTop ? { ...record, isOnTop } : record;
}

/**
 * `records` are of the user `uid`, and the latest comes first: the kernel gives the device of what is unmounted to the next one, which then
 * is that of the latest record alone.
 */
export function whereTheyAre<Record extends Recorded>(
  records: readonly Record[],
  table: readonly MountEntry[],
  uid: number,
): readonly Found<Record>[] {
  const ours = table.filter(({ type, owner }) => isOurType(type) && (owner ?? uid) === uid);
  const taken = new Set<string>();
  return records.map((record) => {
    const { mountpoint, bucket } = record;
    const device = record.device ?? ours.findLast((entry) => entry.mountpoint === mountpoint)?.device ?? '';
    // Nor need that one have a record: it may be one that could not be written.
    const alike = ours.filter(({ source }) => source === sourceOf(bucket));
    const place = taken.has(device) ? undefined : presentMountpoint({ mountpoint, device }, alike);
    if (place !== undefined) taken.add(device);
    return place === undefined || place === mountpoint
      ? record
      : { ...record, mountpoint: place, recordedAt: mountpoint };
  });
}
