/** Which file do the lines of a log go into? The one at its path: of an overlong one, or where it is renamed or removed, another. */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { systemErrorCode } from '../../base/errors.ts';

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
/** Bytes; a longer log is put aside (once). */
const ROTATE_ABOVE = 16 * 1024 * 1024;
/** Between two looks at what is at the path, milliseconds. */
const LOOK_EVERY_MS = 5000;
/** Closed, the next file that is opened would have its number, and what native code says on stderr would go there. */
const LAST_STANDARD = 2;

export interface Followed {
  readonly path: string;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/**
 * Opens a log file for appending, 0600, with its directory; an overlong one becomes `<file>.1` first. A device, or a pipe, stays as it is.
 * Throws as node:fs does, and where nobody reads the pipe.
 */
export function openLogFile(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: DIRECTORY_MODE });
  return openThere(path);
}

/** An open log file, for as long as a mount may live. Never throws: a log must not end the mount. */
export class FollowedLogFile {
  readonly #followed: Followed | undefined;
  #descriptor: number;
  #lookedAt: number;

  /** `followed` undefined: whatever becomes of its path. */
  constructor(descriptor: number, followed: Followed | undefined) {
    this.#descriptor = descriptor;
    this.#followed = followed;
    this.#lookedAt = followed?.clock.monotonic() ?? 0;
  }

  /** To write the next line to; when it is another than before, that begins a line. */
  get descriptor(): number {
    if (this.#followed === undefined) return this.#descriptor;
    const { path, clock } = this.#followed;
    const now = clock.monotonic();
    if (now - this.#lookedAt >= LOOK_EVERY_MS) {
      this.#lookedAt = now;
      this.#follow(path);
    }
    return this.#descriptor;
  }

  #follow(path: string): void {
    try {
      const mine = fstatSync(this.#descriptor);
      // A device, or a pipe, whose opening may take for ever.
      if (!mine.isFile()) return;
      const there = statOrNothing(path);
      if (there !== undefined && (!there.isFile() || isCurrent(there, mine))) return;
      // Its directory is not made: with a disk that is missing all of it would be made elsewhere.
      const next = openThere(path);
      if (this.#descriptor > LAST_STANDARD) closeSync(this.#descriptor);
      this.#descriptor = next;
    } catch {
      // The old one is as good as any other place to tell it; the next look may find it well again.
    }
  }
}

function isCurrent(there: Stats, mine: Stats): boolean {
  return there.ino === mine.ino && there.dev === mine.dev && there.size <= ROTATE_ABOVE;
}

function openThere(path: string): number {
  if ((statOrNothing(path)?.size ?? 0) > ROTATE_ABOVE) renameSync(path, `${path}.1`);
  const descriptor = isPipe(path) ? openPipe(path) : openSync(path, 'a', FILE_MODE);
  try {
    // Not a device: /dev/null is everybody's.
    if (fstatSync(descriptor).isFile()) {
      fchmodSync(descriptor, FILE_MODE);
      // A full disk took half of the last line.
      if (!endsWithLine(path)) writeSync(descriptor, '\n');
    }
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return descriptor;
}

function isPipe(path: string): boolean {
  return statOrNothing(path)?.isFIFO() === true;
}

/** To wait for somebody who reads it, or who goes on reading, would be to hang, perhaps for ever: lines are lost rather. */
function openPipe(path: string): number {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENXIO') throw error;
  }
  throw new Error('it is a pipe that nobody reads');
}

function endsWithLine(path: string): boolean {
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const last = Buffer.alloc(1);
    return size === 0 || readSync(descriptor, last, 0, 1, size - 1) === 0 || last.toString() === '\n';
  } finally {
    closeSync(descriptor);
  }
}

function statOrNothing(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
