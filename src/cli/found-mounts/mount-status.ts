/** Which mounts are there by their records, and how is each? */
import type { ProbeResult } from '../../fuse/mount-probe.ts';
import type { StatusDocument } from '../control/control-documents.ts';
import { byOrder, type MountRecord } from './mount-record.ts';
import type { ProcessIdentity } from './process-identity.ts';

/**
 * `serving`; `silent`: mounted, but it does not answer; `finishing`: unmounted, but its process still uploads; `dead`: mounted, but its
 * process is gone; `ended`: neither, and it did not say that everything is stored.
 */
export type MountState = 'serving' | 'silent' | 'finishing' | 'dead' | 'ended';

/** What `--json` prints of a mount. Holds no secret. */
export interface MountStatus {
  readonly mountpoint: string;
  /** Its name; null: all of the account. */
  readonly bucket: string | null;
  readonly baseUrl: string;
  readonly driver: 'kernel' | 'native';
  readonly pid: number;
  /** ISO 8601. */
  readonly since: string;
  /** Asked for. */
  readonly readOnly: boolean;
  /** Whether the credentials may. */
  readonly mayWrite: boolean;
  readonly state: MountState;
  /** Null when lines go to stderr. */
  readonly logFile: string | null;
  /** What its process says of itself; null when it does not. */
  readonly live: StatusDocument | null;
  /** What it could not store, when it has ended. */
  readonly unsent: MountRecord['unsent'];
}

/** How the machine is asked. */
export interface Machine {
  isMounted(mountpoint: string): boolean;
  isRunning(identity: ProcessIdentity): Promise<boolean>;
  probe(mountpoint: string): Promise<ProbeResult>;
  /** Null when the process does not answer soon. */
  ask(record: MountRecord): Promise<StatusDocument | null>;
}

/** In the order of their mountpoints; of one, the latest first. */
export async function statusOf(
  records: readonly MountRecord[],
  machine: Machine,
): Promise<readonly MountStatus[]> {
  return Promise.all(
    ranked(records).map(async ({ record, isLatest }) => {
      const { mountpoint, bucket, baseUrl, driver, since, readOnly, mayWrite, logFile, unsent } = record;
      const [state, live] = await Promise.all([stateOf(record, isLatest, machine), liveOf(record, machine)]);
      return {
        mountpoint,
        bucket,
        baseUrl,
        driver,
        pid: record.process.pid,
        since,
        readOnly,
        mayWrite,
        state,
        logFile,
        live,
        unsent,
      };
    }),
  );
}

export interface RankedRecord {
  readonly record: MountRecord;
  /** Who mounts where another still uploads comes after it: the mount is not that one's any more. */
  readonly isLatest: boolean;
}

/** In the order of their mountpoints; of one, the latest first. */
export function ranked(records: readonly MountRecord[]): readonly RankedRecord[] {
  const sorted = records.toSorted(byMountpoint);
  return sorted.map((record, index) => ({
    record,
    isLatest: sorted[index - 1]?.mountpoint !== record.mountpoint,
  }));
}

async function liveOf(record: MountRecord, machine: Machine): Promise<StatusDocument | null> {
  return (await machine.isRunning(record.process)) ? machine.ask(record) : null;
}

function byMountpoint(one: MountRecord, other: MountRecord): number {
  if (one.mountpoint !== other.mountpoint) return one.mountpoint < other.mountpoint ? -1 : 1;
  return byOrder(one, other);
}

async function stateOf(record: MountRecord, isLatest: boolean, machine: Machine): Promise<MountState> {
  const isMounted = isLatest && machine.isMounted(record.mountpoint);
  if (!(await machine.isRunning(record.process))) return isMounted ? 'dead' : 'ended';
  if (!isMounted) return 'finishing';
  return (await machine.probe(record.mountpoint)) === 'silent' ? 'silent' : 'serving';
}
