/** How is a directory unmounted, by whichever of the system's programs may do it here? */
import { systemClock, type Clock } from '../base/clock.ts';
import { MountError, type UnmountOptions } from './driver.ts';
import { Holders } from './holders.ts';
import { findMount, presentMountpoint, readMountTable, type MountEntry } from './mount-table.ts';
import { runProgram, TIMED_OUT, type ProgramResult } from './run-program.ts';

/** A closed file is let go a moment after close(2) returns, and indexers look at new files: busy at first is not yet busy. */
const BUSY_PAUSES_MS = [50, 150, 400];

/**
 * Unmounts what is mounted at `mountpoint` (canonical); nothing mounted there is fine.
 * Rejects with a `MountError`: `busy`, naming who holds it, or `failed`.
 */
export async function unmountDirectory(
  mountpoint: string,
  options: UnmountOptions,
  clock: Clock = systemClock,
): Promise<void> {
  for (const pause of [...BUSY_PAUSES_MS, undefined]) {
    const result = await runUnmount(mountpoint, options);
    if (result.exit === 0) return;
    const mount = await findMount(mountpoint);
    if (mount === undefined) return;
    if (!saysBusy(result, mountpoint)) throw unmountFailure(mount, result, options);
    if (pause !== undefined) await clock.sleep(pause);
  }
  throw await busyFailure(mountpoint, clock);
}

/**
 * As `unmountDirectory`, of what was mounted there: wherever the renaming of a directory above has taken it. What somebody else has mounted at its
 * place since it was unmounted stays.
 */
export async function unmountMoved(
  mounted: Pick<MountEntry, 'mountpoint' | 'device'>,
  options: UnmountOptions,
  clock: Clock,
): Promise<void> {
  const isKnown = mounted.device !== '';
  const place = isKnown ? presentMountpoint(mounted, await readMountTable()) : mounted.mountpoint;
  if (place !== undefined) await unmountDirectory(place, options, clock);
}

/** The first program that exists and knows how; its result. */
async function runUnmount(mountpoint: string, { lazy, limit }: UnmountOptions): Promise<ProgramResult> {
  let last: ProgramResult = { exit: 'missing', output: '', errors: '' };
  for (const [program, ...parameters] of unmountCommands(mountpoint, lazy)) {
    const result = await runProgram(program, parameters, limit);
    if (result.exit !== 'missing') last = result;
    // Another program would meet the same open files, or the same silence, only later and lazily.
    if (result.exit === 0 || result.exit === TIMED_OUT || saysBusy(result, mountpoint)) return result;
  }
  return last;
}

/** Each program names the directory, which may itself be called so. */
function saysBusy({ errors }: ProgramResult, mountpoint: string): boolean {
  return /busy/i.test(errors.replaceAll(mountpoint, ''));
}

function unmountCommands(mountpoint: string, lazy: boolean): readonly (readonly [string, ...string[]])[] {
  if (process.platform === 'darwin') {
    return lazy
      ? [['diskutil', 'unmount', 'force', mountpoint]]
      : [
          ['umount', mountpoint],
          ['diskutil', 'unmount', mountpoint],
        ];
  }
  const umount = ['umount', ...(lazy ? ['-l'] : []), '--', mountpoint] as const;
  const fusermount = ['-u', ...(lazy ? ['-z'] : []), '--', mountpoint] as const;
  return [
    // Only root may, whatever umount's set-uid bit says: fuse mounts are not in fstab.
    ...(process.getuid?.() === 0 ? ([umount] as const) : []),
    ['fusermount3', ...fusermount],
    ['fusermount', ...fusermount],
  ];
}

async function busyFailure(mountpoint: string, clock: Clock): Promise<MountError> {
  const inner = (await readMountTable()).findLast((entry) => entry.mountpoint.startsWith(`${mountpoint}/`));
  if (inner !== undefined) {
    return new MountError(
      'busy',
      `${mountpoint} is in use: ${inner.source} is mounted inside, at ${inner.mountpoint}; unmount that first`,
    );
  }
  const holders = await new Holders(clock).find(mountpoint);
  const named = holders.slice(0, 5).map(({ pid, program }) => `${program} (process ${pid})`);
  if (holders.length > named.length) named.push(`${holders.length - named.length} more`);
  const who = named.length > 0 ? `in use by ${named.join(', ')}` : 'in use';
  return new MountError('busy', `${mountpoint} is ${who}: close what uses it and unmount again`);
}

function unmountFailure(
  { mountpoint, owner }: MountEntry,
  result: ProgramResult,
  { lazy }: UnmountOptions,
): MountError {
  const uid = process.getuid?.();
  if (uid !== 0 && owner !== undefined && owner !== uid) {
    return new MountError(
      'failed',
      `${mountpoint} cannot be unmounted by you: it is another user's mount; that user can, and so can root`,
    );
  }
  if (result.exit === 'missing') {
    return new MountError(
      'failed',
      `${mountpoint} cannot be unmounted: neither umount (as root) nor fusermount3 is there; install the package fuse3`,
    );
  }
  if (result.exit === TIMED_OUT && !lazy) {
    return new MountError(
      'failed',
      `${mountpoint} cannot be unmounted, since its process does not answer: "pailfs unmount --lazy" detaches it`,
    );
  }
  const reason = result.errors.trim().split('\n').at(-1) ?? '';
  return new MountError(
    'failed',
    `${mountpoint} cannot be unmounted: ${reason || `exit code ${result.exit}`}`,
  );
}
