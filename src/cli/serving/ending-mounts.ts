/**
 * What does a mount that begins do about one that has ended, and whose process still stores what was written there? umount(8) does not wait
 * for uploads, and nor does who mounts again. Two processes would store the files of one place, each by its own order: what waits in the
 * first would replace what is written, later, in the second. So the first is asked to leave the rest, and the second goes on with it.
 */
import { dirname } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { Log, LogFields } from '../../base/log.ts';
import { readMountTable } from '../../fuse/mount-table.ts';
import { ControlClient, nullWhenSilent } from '../control/control-client.ts';
import { findControlSocket } from '../found-mounts/control-sockets.ts';
import { readRecords, type MountRecord } from '../found-mounts/mount-record.ts';
import { ranked } from '../found-mounts/mount-status.ts';
import { isRunning } from '../found-mounts/process-identity.ts';
import { ownRecordDirectories } from '../found-mounts/record-directories.ts';
import { systemErrorCode } from '../../base/errors.ts';
import { notedRetries } from '../state/retry-notes.ts';
import { canonicalDirectory } from '../state/state-pointers.ts';

const POLL_MS = 20;
/** For a process that was asked to leave the rest, until it has written down what that is. */
const PATIENCE_MS = 60_000;

interface Parts {
  /** Of the service. */
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Gives the wait up. */
  readonly signal?: AbortSignal | undefined;
}

interface Ending {
  readonly record: MountRecord;
  readonly control: ControlClient;
  /** Of each bucket that it has something of, canonical: what its state directories are in. */
  readonly homes: readonly string[];
}

/**
 * Resolves when the mounts' processes that still stored something of these buckets have ended; with a warning for each that stores on, and
 * for each `pailfs uploads retry`, which a person waits for.
 * `bucketHomes`: of each bucket of the mount that begins, as `bucketHomeOf`. Rejects when the wait is given up.
 */
export async function takeOverFromEnding(
  bucketHomes: readonly string[],
  { baseUrl, clock, log, signal }: Parts,
): Promise<readonly string[]> {
  const own = new Set(await Promise.all(bucketHomes.map(canonicalDirectory)));
  const warnings: string[] = [];
  for (const { record, control, homes } of await endingMounts(baseUrl, log)) {
    if (!homes.some((home) => own.has(home))) continue;
    const { mountpoint, process } = record;
    // What it has of other buckets nobody would go on with.
    const isAsked = homes.every((home) => own.has(home)) && (await leavesTheRest(control));
    if (isAsked && (await isGone(record, clock, signal))) {
      log.info('Goes on with what a mount that has ended had not stored yet', whose(record));
      continue;
    }
    warnings.push(
      `process ${process.pid}, whose mount at ${mountpoint} has ended, still stores what was written there: that is not shown here before it is stored, and may replace what is written here until then`,
    );
  }
  for (const pid of await retriesIn([...own]))
    warnings.push(
      `"pailfs uploads retry" (process ${pid}) still stores what earlier mounts left: that is not shown here before it is stored, and may replace what is written here until then`,
    );
  return warnings;
}

/** Their process ids. What cannot be found out is as if there were none: whoever claims state directories there next hears of it. */
async function retriesIn(bucketHomes: readonly string[]): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  for (const home of bucketHomes) {
    try {
      for (const pid of (await notedRetries(home)).pids.values()) found.add(pid);
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error;
    }
  }
  return found;
}

/** Of the service at `baseUrl`, those whose kernel has let go, and that answer. What cannot be found out is logged. */
async function endingMounts(baseUrl: string, log: Log): Promise<readonly Ending[]> {
  try {
    const directories = await ownRecordDirectories(process.getuid?.() ?? 0);
    const table = await readMountTable();
    // One that hangs is asked for nothing while it serves: each start would wait for its answer.
    const unmounted = ranked(await readRecords(directories)).filter(
      ({ record, isLatest }) =>
        record.baseUrl === baseUrl &&
        !(isLatest && table.some(({ mountpoint }) => mountpoint === record.mountpoint)),
    );
    const found = await Promise.all(unmounted.map(({ record }) => endingOf(record, directories, log)));
    return found.filter((ending) => ending !== null);
  } catch (error) {
    log.warn('Whether a mount that has ended is still storing is not known', { error });
    return [];
  }
}

async function endingOf(
  record: MountRecord,
  directories: readonly string[],
  log: Log,
): Promise<Ending | null> {
  const socket = await findControlSocket(directories, record);
  if (socket === undefined || !(await isRunning(record.process))) return null;
  const control = new ControlClient(socket);
  const status = await control.status().catch(nullWhenSilent);
  if (status === null && (await isRunning(record.process)))
    log.warn('A mount that has ended does not answer, and may still store', whose(record));
  if (status?.phase !== 'finishing') return null;
  const places = await Promise.all(status.stateDirectories.map(canonicalDirectory));
  return { record, control, homes: places.map((place) => dirname(place)) };
}

/** Each line of the log has the mountpoint of the mount that begins. */
function whose({ mountpoint, process }: MountRecord): LogFields {
  return { earlier: mountpoint, process: process.pid };
}

async function leavesTheRest(control: ControlClient): Promise<boolean> {
  const answer = await control.giveUp().catch(nullWhenSilent);
  // It may have ended just now, by itself.
  return answer === null || answer.isEnding;
}

async function isGone(
  { process }: MountRecord,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const deadline = clock.monotonic() + PATIENCE_MS;
  while (await isRunning(process)) {
    if (clock.monotonic() >= deadline) return false;
    await clock.sleep(POLL_MS, signal);
  }
  return true;
}
