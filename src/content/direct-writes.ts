/**
 * How do large blocks get to the disk without a second copy in the system's page cache? By O_DIRECT.
 *
 * What a program reads or writes is in the page cache already, as the mount's. To have it there once more, as that of a file of the disk
 * cache or of a draft, took longer than to read or write it: half a gigabyte a second comes, for which the system has to find as much
 * memory again. Whole pages alone, since such a write has to begin and end where they do; where the disk refuses it nothing of
 * this is tried again.
 */
import { constants } from 'node:fs';
import pLimit from 'p-limit';
import { describeError, systemErrorCode } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { DiskPace } from './disk-pace.ts';
import type { OpenDescriptor } from './open-descriptor.ts';

/** At the same time: each occupies one of four threads until the disk has the bytes, and others who read and write want theirs. */
const MOST_AT_ONCE = 2;
/** Files open for this: each is a second descriptor, of which a process has a limited number. */
const MOST_OPEN = 32;
/** What a disk says that never takes such a write, or a system without /proc. Anything else says nothing of the next write. */
const REFUSALS: ReadonlySet<string> = new Set(
  'EINVAL ENOTSUP EOPNOTSUPP ENOSYS ENOENT EACCES EPERM ELOOP'.split(' '),
);

/** For all mounts of the process, whose threads they share. */
const gate = pLimit(MOST_AT_ONCE);

export interface DirectWritesParts {
  /** As `areWholePages`; their places in the file are to be whole pages, too. */
  readonly isAligned: (block: Uint8Array) => boolean;
  /** Whether blocks come faster than they are written: then the page cache may have them, and the disk later. */
  readonly isBehind: () => boolean;
  /** Hears how long the disk takes. */
  readonly pace?: Pick<DiskPace, 'timed'>;
  readonly log: Log;
}

/** Those of one disk cache, or of all drafts. */
export class DirectWrites {
  readonly #parts: DirectWritesParts;
  /** Not on macOS. */
  #arePossible = typeof constants.O_DIRECT === 'number';
  #open = 0;

  constructor(parts: DirectWritesParts) {
    this.#parts = parts;
  }

  /** How many of `blocks`, from the first on, had better be written so. */
  suitable(blocks: readonly Uint8Array[]): number {
    if (!this.#arePossible || this.#parts.isBehind()) return 0;
    const other = blocks.findIndex((block) => !this.#parts.isAligned(block));
    return other === -1 ? blocks.length : other;
  }

  /** The same file once more, to write to it so; null where that cannot be, or many are open. Never rejects. To be closed by `close`. */
  async open(file: Pick<OpenDescriptor, 'openedAgain'>): Promise<OpenDescriptor | null> {
    if (this.#open >= MOST_OPEN) return null;
    this.#open += 1;
    const opened = await this.#orNull(() => file.openedAgain(constants.O_WRONLY | constants.O_DIRECT));
    if (opened === null) this.#open -= 1;
    return opened;
  }

  /** Rejects as the disk does. */
  async close(opened: OpenDescriptor): Promise<void> {
    this.#open -= 1;
    await opened.closeFreeingNothing();
  }

  /** How many bytes of `blocks` were written to a file of `open`; null where that cannot be. Never rejects. */
  async write(file: OpenDescriptor, blocks: readonly Uint8Array[], position: number): Promise<number | null> {
    const write = (): Promise<number> => file.writeTogether(blocks, position);
    const { pace } = this.#parts;
    return this.#orNull(() =>
      gate(() => (pace === undefined ? write() : pace.timed(bytesOf(blocks), write))),
    );
  }

  async #orNull<Result>(action: () => Promise<Result>): Promise<Result | null> {
    try {
      return await action();
    } catch (error) {
      if (REFUSALS.has(systemErrorCode(error) ?? '')) this.#arePossible = false;
      const { log } = this.#parts;
      log.debug('blocks go to the disk through the page cache', { cause: describeError(error) });
      return null;
    }
  }
}

/** One file's way past the page cache, opened when it is first used, and again when it is used after `close`. */
export class DirectFile {
  readonly #writes: DirectWrites;
  readonly #file: OpenDescriptor;
  readonly #running = new Set<Promise<boolean>>();
  /** Settled to null where it cannot be. */
  #opened: Promise<OpenDescriptor | null> | null = null;

  /** `file` stays the caller's. */
  constructor(writes: DirectWrites, file: OpenDescriptor) {
    this.#writes = writes;
    this.#file = file;
  }

  /** False where not all of `blocks` are written: some may be. Never rejects: any other way of writing them tells why. */
  async write(blocks: readonly Uint8Array[], position: number): Promise<boolean> {
    const running = this.#write(blocks, position);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** After the writes that are in progress; before the file itself. Rejects as the disk does. */
  async close(): Promise<void> {
    await Promise.all(this.#running);
    const opened = this.#opened;
    this.#opened = null;
    const file = await opened;
    if (file != null) await this.#writes.close(file);
  }

  async #write(blocks: readonly Uint8Array[], position: number): Promise<boolean> {
    const file = await (this.#opened ??= this.#writes.open(this.#file));
    if (file === null) return false;
    return (await this.#writes.write(file, blocks, position)) === bytesOf(blocks);
  }
}

function bytesOf(blocks: readonly Uint8Array[]): number {
  return blocks.reduce((sum, { length }) => sum + length, 0);
}
