/** `pailfs unmount`: asks the kernel, then waits until the processes that served the mountpoint have stored everything. */
import { resolve } from 'node:path';
import prettyBytes from 'pretty-bytes';
import type { Clock } from '../../base/clock.ts';
import { findMount, readMountTable, type MountEntry } from '../../fuse/mount-table.ts';
import { isOurType, MOUNT_TYPE } from '../../fuse/mountpoint.ts';
import { unmountDirectory } from '../../fuse/unmount.ts';
import type { ExitCode } from '../command-error.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { ControlClient, nullWhenSilent } from '../control/control-client.ts';
import type { StatusDocument } from '../control/control-documents.ts';
import { openDrainProgress } from './drain-progress.ts';
import { tellWhereElse } from './still-mounted.ts';
import { putAway, recordAtEnd } from '../found-mounts/ended-records.ts';
import type { MountRecord } from '../found-mounts/mount-record.ts';
import { findControlSocket } from '../found-mounts/control-sockets.ts';
import { readRecordsOf } from '../found-mounts/mount-record.ts';
import { recordDirectories } from '../found-mounts/record-directories.ts';
import { canonicalMountpoint } from '../found-mounts/named-mountpoint.ts';
import { mountpointsOf } from '../found-mounts/mount-on-the-way.ts';
import { isRunning } from '../found-mounts/process-identity.ts';
import { sayToPerson } from '../screen/report.ts';
import { printable } from '../screen/screen-text.ts';
import { defaultStateDir } from '../settings/settings.ts';
import { shellWord } from '../screen/shell-word.ts';
import { userDirectories } from '../settings/user-directories.ts';

const POLL_MS = 50;
/** Between two looks at what goes up. */
const LOOK_MS = 500;
/** For a process to notice that nobody uses the mount any more. */
const NOTICE_MS = 5000;
/** For the kernel's answer, until a person hears what it waits for. */
const SILENT_MS = 10_000;
/** For the kernel to let go of a mount whose process answers, on a busy machine. */
const LEAST_PATIENCE_MS = 5000;
/** For a process that was asked to give up, until it has written down what it leaves. */
const LAST_PATIENCE_MS = 60_000;

export interface UnmountWish {
  readonly mountpoint: string;
  /** Milliseconds to wait for uploads; undefined: until they are done or given up. */
  readonly timeout: number | undefined;
  /** Wait for no upload at all. */
  readonly leavePending: boolean;
  readonly lazy: boolean;
}

/** Rejects with a `CommandError`, or a `MountError` of kind `busy`. */
export async function runUnmount(wish: UnmountWish, clock: Clock): Promise<ExitCode> {
  const directories = await recordDirectories(process.getuid?.() ?? 0);
  const mountpoint = await meantMountpoint(directories, wish.mountpoint);
  const served = await servedBy(directories, mountpoint);
  const mount = await findMount(mountpoint);
  if (mount === undefined && served.length === 0) {
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
    // Not by us: whose working directory it is too is told.
    process.chdir('/');
    const answered = clock.after(SILENT_MS, () => {
      sayToPerson(
        `${mountpoint} is not unmounted yet: the process that serves it does not answer the kernel; "pailfs unmount --lazy" would detach it`,
      );
    });
    await unmountDirectory(mountpoint, { lazy: wish.lazy, limit: unmountLimit(wish) }).finally(answered);
  }
  if (mount !== undefined && served.length === 0) return tellWhereItStays(mount, directories);
  if (mount === undefined) return waitForAll(served, directories, wish, clock);
  const stopTelling = await tellWhereElse(mount, clock);
  return waitForAll(served, directories, wish, clock).finally(stopTelling);
}

/** Of a mount that has ended, and that "pailfs status" still shows, perhaps not even the directory is there. Rejects as `canonicalMountpoint`. */
async function meantMountpoint(directories: readonly string[], path: string): Promise<string> {
  try {
    return await canonicalMountpoint(path);
  } catch (error) {
    const written = resolve(path);
    if ((await readRecordsOf(directories, written)).length === 0) throw error;
    return written;
  }
}

/** Milliseconds. Who waits for no upload waits for the kernel all the same. */
function unmountLimit({ timeout }: UnmountWish): number | undefined {
  return timeout === undefined ? undefined : Math.max(timeout, LEAST_PATIENCE_MS);
}

interface Served {
  readonly record: MountRecord;
  readonly runs: boolean;
}

/** The last that was mounted there, then what was before and still uploads. */
async function servedBy(directories: readonly string[], mountpoint: string): Promise<readonly Served[]> {
  const served: Served[] = [];
  for (const record of await readRecordsOf(directories, mountpoint)) {
    const runs = await isRunning(record.process);
    // Nobody waits for those that have long ended: "pailfs uploads" has what they left.
    if (runs || served.length === 0) served.push({ record, runs });
  }
  return served;
}

/** For a bind mount there is nothing to wait. Rejects with a `CommandError` when nothing shows what it showed any more. */
async function tellWhereItStays(mount: MountEntry, directories: readonly string[]): Promise<ExitCode> {
  const { mountpoint } = mount;
  for (const place of mountpointsOf(mount, await readMountTable())) {
    const runs = (await servedBy(directories, place)).some((one) => one.runs);
    if (!runs) continue;
    sayToPerson(`${mountpoint} is unmounted; it was a bind mount of ${place}, which stays mounted`);
    return exitCodes.done;
  }
  throw new CommandError(
    exitCodes.failed,
    `${mountpoint} is unmounted; who served it is not known, so uploads may still be running`,
  );
}

/** Says of each what it could not store. Rejects as `waitForEnd`. */
async function waitForAll(
  served: readonly Served[],
  directories: readonly string[],
  wish: UnmountWish,
  clock: Clock,
): Promise<ExitCode> {
  const start = clock.monotonic();
  const codes: ExitCode[] = [];
  for (const { record } of served) {
    const socket = await findControlSocket(directories, record);
    const control = socket === undefined ? undefined : new ControlClient(socket);
    await waitForEnd({ record, control, start }, wish, clock);
    codes.push(await tellOutcome(directories, record, clock));
  }
  return codes.find((code) => code !== exitCodes.done) ?? exitCodes.done;
}

interface Awaited {
  readonly record: MountRecord;
  readonly control: ControlClient | undefined;
  /** Since when a person waits. */
  readonly start: number;
}

/** Resolves when the process is gone. Rejects with a `CommandError` when it serves on, or cannot be asked to give up. */
async function waitForEnd(
  { record, control, start }: Awaited,
  wish: UnmountWish,
  clock: Clock,
): Promise<void> {
  const patience = wish.leavePending ? 0 : (wish.timeout ?? Infinity);
  const progress = openDrainProgress(record.process.pid, start, process.stderr.isTTY);
  let nextLook = start;
  let givenUpAt: number | undefined;
  try {
    while (await isRunning(record.process)) {
      const now = clock.monotonic();
      if (givenUpAt === undefined && now - start >= patience && (await giveUp(control))) givenUpAt = now;
      const limit = givenUpAt === undefined ? start + patience + NOTICE_MS : givenUpAt + LAST_PATIENCE_MS;
      if (now >= limit) throw stillThere(record, patience);
      if (now >= nextLook) {
        progress.show(now, await statusOrNull(control));
        nextLook = now + LOOK_MS;
      }
      await clock.sleep(POLL_MS);
    }
  } finally {
    progress.end();
  }
}

/** False while it has not noticed yet that it is unmounted, or does not answer. */
async function giveUp(control: ControlClient | undefined): Promise<boolean> {
  return (await control?.giveUp().catch(nullWhenSilent))?.isEnding ?? false;
}

async function statusOrNull(control: ControlClient | undefined): Promise<StatusDocument | null> {
  return (await control?.status().catch(nullWhenSilent)) ?? null;
}

function stillThere({ mountpoint, process, logFile }: MountRecord, patience: number): CommandError {
  return new CommandError(
    exitCodes.failed,
    `${mountpoint} is unmounted, but process ${process.pid} still has work after ${patience / 1000} s, and goes on by itself: programs use the mount, or it does not answer; see ${logFile ?? 'its stderr'}`,
  );
}

/** The serving process removes its record unless there is something to tell. */
async function tellOutcome(
  directories: readonly string[],
  before: MountRecord,
  clock: Clock,
): Promise<ExitCode> {
  const { mountpoint } = before;
  const record = await recordAtEnd(directories, before);
  if (record === undefined) return exitCodes.done;
  await putAway(directories, record, clock);
  if (record.unsent.length === 0) {
    sayToPerson(
      `the process that served ${mountpoint} ended without saying whether everything is stored: see ${record.logFile ?? 'what it wrote to stderr'}`,
    );
    return exitCodes.failed;
  }
  for (const one of record.unsent) sayToPerson(unsentLine(one));
  // It does not with what was refused for good.
  sayToPerson(
    `the next mount goes on with what waits; whatever is left, "pailfs uploads${placeOf(record)}" shows it`,
  );
  return exitCodes.failed;
}

function unsentLine({ path, file, reason, bytes }: MountRecord['unsent'][number]): string {
  // A deletion has no bytes here, nor has a rename, or a link; their reason is the whole sentence.
  if (file === '') return `${printable(path)} is ${reason}`;
  const size = bytes === undefined ? '' : `, ${prettyBytes(bytes)}`;
  return `${printable(path)} could not be uploaded (${reason}${size}): its bytes are kept in ${file}`;
}

/** The words that have `pailfs uploads` look where the mount kept its bytes, whatever the environment of whoever unmounts says. */
function placeOf({ stateDir }: MountRecord): string {
  const isUsual = stateDir === null || stateDir === defaultStateDir(userDirectories());
  return isUsual ? '' : ` --state-dir ${shellWord(stateDir)}`;
}
