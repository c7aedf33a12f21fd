/**
 * May pailfs keep its own files there? Not inside the mount: reading them would ask the very process that waits for them. And
 * not on a full disk.
 */
import { access, constants, realpath, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { inWords, systemErrorCode } from '../../base/errors.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { shellWord } from '../screen/shell-word.ts';

/** Bytes; less would not take the draft of one photo. */
const LEAST_SPACE = 16 * 1024 * 1024;

export interface LocalPlace {
  /** As a person knows it: `state directory`. */
  readonly what: string;
  /** The setting that moves it: `--state-dir`. */
  readonly setting: string;
  readonly path: string;
  /** It is, or will be, one file, and no directory. */
  readonly isFile?: boolean;
  /** What it lies in must exist: nobody makes that for it. */
  readonly needsDirectory?: boolean;
  /** Where, at or in it, what mounts have not stored waits, which would make room. */
  readonly waitingIn?: string | undefined;
}

/** Rejects with a `CommandError` unless `place`, which need not exist yet, lies outside `mountpoint` (canonical) and has space. */
export async function checkLocalPlace(place: LocalPlace, mountpoint: string): Promise<void> {
  const { existing, whole, missing } = await canonical(place);
  if (whole === mountpoint || whole.startsWith(mountpoint === sep ? sep : mountpoint + sep)) {
    throw new CommandError(
      exitCodes.failed,
      `the ${place.what} ${place.path} is inside the mountpoint ${mountpoint}: choose another with ${place.setting}`,
    );
  }
  if (place.isFile !== true) await requireDirectory(place, existing);
  // Its name is misspelt, or its disk missing: made, it would hold what nobody looks for there.
  if (place.needsDirectory === true && missing.length > 1)
    throw unusable(place, `${dirname(place.path)} does not exist`);
  await roomAt(place, existing);
}

/** Of the disk of a place, bytes. */
export interface PlaceRoom {
  readonly free: number;
  readonly total: number;
}

/** Rejects with a `CommandError` unless this user can make or change files in `place` and its disk has space. Changes nothing. */
export async function roomOfPlace(place: LocalPlace): Promise<PlaceRoom> {
  const { existing } = await canonical(place);
  await requireDirectory(place, existing);
  return roomAt(place, existing);
}

async function requireDirectory(place: LocalPlace, existing: string): Promise<void> {
  try {
    if ((await stat(existing)).isDirectory()) {
      await access(existing, constants.W_OK | constants.X_OK);
      return;
    }
  } catch (error) {
    throw explainLocalFailure(place, error);
  }
  throw unusable(place, existing === place.path ? 'it is no directory' : `${existing} is no directory`);
}

async function roomAt(place: LocalPlace, existing: string): Promise<PlaceRoom> {
  const { bavail, blocks, bsize } = await statfs(existing);
  // As the kernel's own have none: /proc, /sys.
  if (blocks === 0) throw unusable(place, 'no file can be kept there');
  if (bavail * bsize < LEAST_SPACE) throw diskFull(place);
  return { free: bavail * bsize, total: blocks * bsize };
}

/** What node:fs said about `place`, as one line with a remedy. */
export function explainLocalFailure(place: LocalPlace, error: unknown): Error {
  const code = systemErrorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(place, error);
  return unusable(place, inWords(error, place.path), error);
}

function unusable({ what, path, setting }: LocalPlace, reason: string, cause?: unknown): CommandError {
  return new CommandError(
    exitCodes.failed,
    `the ${what} ${path} cannot be used (${reason}): choose another with ${setting}`,
    { cause },
  );
}

function diskFull({ what, path, setting, waitingIn }: LocalPlace, cause?: unknown): CommandError {
  return new CommandError(
    exitCodes.failed,
    waitingIn !== undefined
      ? `the disk of the ${what} ${path} is full: free some space (16 MiB at least), or choose another with ${setting}; if it is full of what waits to be stored, "pailfs uploads retry --state-dir ${shellWord(waitingIn)}" stores that without a mount`
      : `the disk of the ${what} ${path} is full: free some space (16 MiB at least), or choose another with ${setting}`,
    { cause },
  );
}

interface CanonicalPlace {
  /** The nearest directory that exists. */
  readonly existing: string;
  /** The names below it. */
  readonly missing: readonly string[];
  /** Where the whole path will be. */
  readonly whole: string;
}

async function canonical(place: LocalPlace): Promise<CanonicalPlace> {
  const missing: string[] = [];
  for (let path = place.path; ; path = dirname(path)) {
    try {
      const existing = await realpath(path);
      return { existing, missing, whole: join(existing, ...missing) };
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT' || path === dirname(path))
        throw explainLocalFailure(place, error);
      missing.unshift(basename(path));
    }
  }
}
