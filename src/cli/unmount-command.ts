/** `pailfs unmount`: asks the kernel, then waits until the process that served the mount has stored everything. */
import type { Clock } from '../base/clock.ts';
import { findMount } from '../fuse/mount-table.ts';
import { MOUNT_TYPE } from '../fuse/mountpoint.ts';
import { unmountDirectory } from '../fuse/unmount.ts';
import type { ExitCode } from './command-error.ts';
import { CommandError, exitCodes } from './command-error.ts';
import type { MountRecord } from './mount-record.ts';
import { readRecord, recordDirectories, removeRecord } from './mount-record.ts';
import { canonicalMountpoint, isOurType } from './named-mountpoint.ts';
import { isRunning } from './process-identity.ts';
import { sayToPerson } from './report.ts';

const POLL_MS = 50;
/** Shorter waits need no explanation. */
const SILENT_MS = 1000;
const PROGRESS_MS = 10_000;

export interface UnmountWish {
  readonly mountpoint: string;
  /** Milliseconds to wait for uploads; undefined: until they are done or given up. */
  readonly timeout: number | undefined;
  readonly lazy: boolean;
}

/** Rejects with a `CommandError`, or a `MountError` of kind `busy`. */
export async function runUnmount(wish: UnmountWish, clock: Clock): Promise<ExitCode> {
  const mountpoint = await canonicalMountpoint(wish.mountpoint);
  const directories = await recordDirectories(process.getuid?.() ?? 0);
  const record = await readRecord(directories, mountpoint);
  const isServed = record !== undefined && (await isRunning(record.process));
  const mount = await findMount(mountpoint);
  if (mount === undefined && !isServed) {
    throw new CommandError(
      exitCodes.failed,
      `nothing is mounted at ${mountpoint}: "mount -t ${MOUNT_TYPE}" lists what is`,
    );
  }
  if (mount !== undefined) {
    if (!isOurType(mount.type)) {
      throw new CommandError(
        exitCodes.failed,
        `${mountpoint} is a mount of ${mount.type}, not of pailfs: use "umount ${mountpoint}"`,
      );
    }
    await unmountDirectory(mountpoint, { lazy: wish.lazy });
  }
  if (record === undefined) {
    sayToPerson(`${mountpoint} is unmounted; who served it is not known, so uploads may still be running`);
    return exitCodes.done;
  }
  await waitForEnd(record, wish, clock);
  return tellOutcome(mountpoint, directories, record);
}

async function waitForEnd(record: MountRecord, wish: UnmountWish, clock: Clock): Promise<void> {
  const start = clock.monotonic();
  let nextWord = start + SILENT_MS;
  while (await isRunning(record.process)) {
    const now = clock.monotonic();
    if (wish.timeout !== undefined && now - start >= wish.timeout) {
      throw new CommandError(
        exitCodes.failed,
        `${record.mountpoint} is unmounted, but process ${record.process.pid} still uploads after ${wish.timeout / 1000} s: it goes on by itself; see ${record.logFile ?? 'its stderr'}`,
      );
    }
    if (now >= nextWord) {
      sayToPerson(
        `waiting for uploads to finish (process ${record.process.pid}, ${Math.round((now - start) / 1000)} s)`,
      );
      nextWord = now + PROGRESS_MS;
    }
    await clock.sleep(POLL_MS);
  }
}

/** The serving process removes its record unless there is something to tell. */
async function tellOutcome(
  mountpoint: string,
  directories: readonly string[],
  before: MountRecord,
): Promise<ExitCode> {
  const record = await readRecord(directories, mountpoint);
  const isSame =
    record?.process.pid === before.process.pid && record.process.startTime === before.process.startTime;
  if (record === undefined || !isSame) return exitCodes.done;
  await removeRecord(directories, mountpoint);
  if (record.unsent.length === 0) {
    sayToPerson(
      `the process that served ${mountpoint} ended without saying whether everything is stored: see ${record.logFile ?? 'what it wrote to stderr'}`,
    );
    return exitCodes.failed;
  }
  for (const { path, file, reason } of record.unsent) {
    sayToPerson(`${path} could not be uploaded (${reason}): its bytes are kept in ${file}`);
  }
  return exitCodes.failed;
}
