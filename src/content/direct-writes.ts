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
import type { OpenDescriptor } from './open-descriptor.ts';

/** At the same time: each occupies one of four threads until the disk has the bytes, and drafts and reads of the cache want theirs. */
const MOST_AT_ONCE = 2;
/** That a process or the system has no more of: it may have later. */
const SHORTAGES: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'ENOSPC', 'EDQUOT', 'EIO']);

export interface DirectWritesParts {
  /** As `areWholePages`; their places in the file are to be whole pages, too. */
  readonly isAligned: (block: Uint8Array) => boolean;
  /** Whether blocks come faster than they are written: then the page cache may have them, and the disk later. */
  readonly isBehind: () => boolean;
  readonly log: Log;
}

/** Those of one disk cache, or of all drafts. */
export class DirectWrites {
  readonly #parts: DirectWritesParts;
  readonly #gate = pLimit(MOST_AT_ONCE);
  /** Not on macOS. */
  #arePossible = typeof constants.O_DIRECT === 'number';

  constructor(parts: DirectWritesParts) {
    this.#parts = parts;
  }

  /** How many of `blocks`, from the first on, had better be written so. */
  suitable(blocks: readonly Uint8Array[]): number {
    if (!this.#arePossible || this.#parts.isBehind()) return 0;
    const other = blocks.findIndex((block) => !this.#parts.isAligned(block));
    return other === -1 ? blocks.length : other;
  }

  /** The same file once more, to write to it so; null where that cannot be. Never rejects. */
  async open(file: Pick<OpenDescriptor, 'openedAgain'>): Promise<OpenDescriptor | null> {
    return this.#orNull(() => file.openedAgain(constants.O_WRONLY | constants.O_DIRECT));
  }

  /** How many bytes of `blocks` were written to a file of `open`; null where that cannot be. Never rejects. */
  async write(file: OpenDescriptor, blocks: readonly Uint8Array[], position: number): Promise<number | null> {
    return this.#orNull(() => this.#gate(() => file.writeTogether(blocks, position)));
  }

  async #orNull<Result>(action: () => Promise<Result>): Promise<Result | null> {
    try {
      return await action();
    } catch (error) {
      if (!SHORTAGES.has(systemErrorCode(error) ?? '')) this.#arePossible = false;
      const { log } = this.#parts;
      log.debug('blocks go to the disk through the page cache', { cause: describeError(error) });
      return null;
    }
  }
}

/** One file's way past the page cache, opened when it is first used. */
export class DirectFile {
  readonly #writes: DirectWrites;
  readonly #file: OpenDescriptor;
  /** Settled to null where the disk takes none. */
  #opened: Promise<OpenDescriptor | null> | null = null;

  /** `file` stays the caller's. */
  constructor(writes: DirectWrites, file: OpenDescriptor) {
    this.#writes = writes;
    this.#file = file;
  }

  /** False where not all of `blocks` are written: some may be. Never rejects: any other way of writing them tells why. */
  async write(blocks: readonly Uint8Array[], position: number): Promise<boolean> {
    const file = await (this.#opened ??= this.#writes.open(this.#file));
    if (file === null) return false;
    const written = await this.#writes.write(file, blocks, position);
    return written === blocks.reduce((sum, { length }) => sum + length, 0);
  }

  /** After the writes that are in progress; before the file itself. */
  async close(): Promise<void> {
    await (await this.#opened)?.closeFreeingNothing();
  }
}
