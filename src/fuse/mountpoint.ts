/**
 * May this directory be mounted upon, and if not, what should the person do? libfuse answers every such question with
 * "fuse failed", so each is asked here beforehand. A mount whose process died is cleared away.
 */
import { access, constants, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { systemClock, type Clock } from '../base/clock.ts';
import { describeError, systemErrorCode } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { MountError } from './driver.ts';
import { isDead } from './mount-probe.ts';
import { findMount, presentMountpoint, readMountTable, type MountEntry } from './mount-table.ts';
import { unmountDirectory } from './unmount.ts';

/** What the kernel calls our mounts: never another's is healed away. */
export const MOUNT_TYPE = 'fuse.pailfs';

/**
 * The canonical path of `mountpoint`, once it is an empty directory with nothing mounted on it. To be called just before it is mounted
 * upon: where a dead mount was, programs write to the bare directory from then on. Rejects with a `MountError`. Nothing below a live
 * mount is touched.
 */
export async function prepareMountpoint(
  mountpoint: string,
  log: Log,
  clock: Clock = systemClock,
): Promise<string> {
  const canonical = await resolved(mountpoint);
  const hadDeadMount = await clearMounts(canonical, log, clock);
  const names = await namesIn(canonical);
  if (names.length > 0) throw notEmpty(canonical, names, hadDeadMount);
  return canonical;
}

/** As `prepareMountpoint`, but leaves a dead mount where it is, and does not see what is beneath. */
export async function checkMountpoint(mountpoint: string, clock: Clock = systemClock): Promise<string> {
  const canonical = await resolved(mountpoint);
  if ((await deadMountAt(canonical, clock)) !== undefined) return canonical;
  const names = await namesIn(canonical);
  if (names.length > 0) throw notEmpty(canonical, names, false);
  return canonical;
}

async function resolved(mountpoint: string): Promise<string> {
  const absolute = path.resolve(mountpoint);
  return canonicalPath(absolute).catch((error: unknown) => {
    throw explain(absolute, error);
  });
}

/** Also where a dead mount is. Rejects as realpath(3) does. */
export async function canonicalPath(absolute: string): Promise<string> {
  try {
    return await realpath(absolute);
  } catch (error) {
    // The directory itself cannot be looked at while a dead mount covers it; the one above can.
    if (isOfDeadMount(error))
      return path.join(await realpath(path.dirname(absolute)), path.basename(absolute));
    throw error;
  }
}

/**
 * Clears away what a mount that failed may have left at `mountpoint` (canonical): whoever looks there would wait for an answer. Never
 * rejects.
 */
export async function clearFailedMount(mountpoint: string, log: Log, clock: Clock): Promise<void> {
  await orLog(log, async () => {
    const mount = await findMount(mountpoint);
    if (mount?.type === MOUNT_TYPE) await unmountDirectory(mountpoint, { lazy: true }, clock);
  });
}

/**
 * Clears away, wherever it is now, what the kernel has let go of and still shows: as `umount -f` leaves a mount that programs use. For whom
 * is it there, when its process has ended? Never rejects.
 */
export async function clearLetGo(
  mounted: Pick<MountEntry, 'mountpoint' | 'device'>,
  log: Log,
  clock: Clock,
): Promise<void> {
  await orLog(log, async () => {
    const ours = (await readMountTable()).filter(({ type }) => type === MOUNT_TYPE);
    const place = presentMountpoint(mounted, ours);
    // The kernel gives the number of what is unmounted to the next mount, which may be anybody's.
    if (place !== undefined && (await isDead(place, clock)))
      await unmountDirectory(place, { lazy: true }, clock);
  });
}

async function orLog(log: Log, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    log.error('a failed mount could not be cleared away', { reason: describeError(error) });
  }
}

/** Whether there was one. */
async function clearMounts(mountpoint: string, log: Log, clock: Clock): Promise<boolean> {
  const dead = await deadMountAt(mountpoint, clock);
  if (dead === undefined) return false;
  log.warn('clearing away a mount whose process died', { source: dead.source });
  await unmountDirectory(mountpoint, { lazy: true }, clock);
  // Mounts pile up: another dead one may have been underneath.
  await clearMounts(mountpoint, log, clock);
  return true;
}

/** One of ours that may be cleared away; undefined: nothing is mounted there. Rejects with a `MountError` at any other mount. */
async function deadMountAt(mountpoint: string, clock: Clock): Promise<MountEntry | undefined> {
  const mount = await findMount(mountpoint);
  if (mount === undefined) return undefined;
  if (!(await isDead(mountpoint, clock))) {
    throw new MountError(
      'already-mounted',
      `${mountpoint} already has ${mount.source} (${mount.type}) mounted: unmount it first, or choose another directory`,
    );
  }
  if (isOurType(mount.type)) return mount;
  throw new MountError(
    'already-mounted',
    `${mountpoint} holds a dead mount of ${mount.type}: run "umount -l ${mountpoint}" and mount again`,
  );
}

/** Whether a file system of this type, as the mount table shows it, may be pailfs's. */
export function isOurType(type: string): boolean {
  return type === MOUNT_TYPE || (process.platform === 'darwin' && type.includes('fuse'));
}

function isOfDeadMount(error: unknown): boolean {
  return ['ENOTCONN', 'ENXIO'].includes(systemErrorCode(error) ?? '');
}

/** What is in the directory. Rejects with a `MountError` when it is none that may be mounted upon. */
async function namesIn(mountpoint: string): Promise<readonly string[]> {
  try {
    const found = await stat(mountpoint);
    if (!found.isDirectory()) {
      throw new MountError('not-a-directory', `${mountpoint} is not a directory: choose an empty directory`);
    }
    // fusermount's rule; root mounts anywhere, also on a read-only file system.
    if (process.getuid?.() !== 0) await access(mountpoint, constants.W_OK);
    return await readdir(mountpoint);
  } catch (error) {
    throw error instanceof MountError ? error : explain(mountpoint, error);
  }
}

function notEmpty(mountpoint: string, names: readonly string[], hadDeadMount: boolean): MountError {
  const text = hadDeadMount
    ? `${mountpoint} is not empty: a mount whose process died was cleared away, and beneath it is ${names[0]} (of ${names.length}): programs may have written there instead, so move it elsewhere and mount again`
    : `${mountpoint} is not empty: choose an empty directory`;
  return new MountError('not-empty', text);
}

function explain(mountpoint: string, error: unknown): MountError {
  const cause = { cause: error };
  switch (systemErrorCode(error) ?? '') {
    case 'ENOENT':
      return new MountError(
        'missing-mountpoint',
        `${mountpoint} does not exist: create it with "mkdir -p ${mountpoint}"`,
        cause,
      );
    case 'ENOTDIR':
      return new MountError(
        'not-a-directory',
        `${mountpoint} is below something that is not a directory: choose an empty directory`,
        cause,
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new MountError(
        'permission',
        `${mountpoint} may not be mounted upon: it must be a directory that you can write to`,
        cause,
      );
    default:
      return new MountError(
        'failed',
        `${mountpoint} cannot be used as a mountpoint (${systemErrorCode(error) ?? 'unknown error'})`,
        cause,
      );
  }
}
