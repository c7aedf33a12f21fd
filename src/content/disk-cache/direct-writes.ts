/**
 * How do whole blocks get to the disk without a second copy in the system's page cache? By O_DIRECT.
 *
 * What a program reads is in the page cache already, as the mount's. To have it there once more, as the cache file's, took longer than to
 * read it: a fast line brings half a gigabyte a second, for which the system has to find as much memory again. Whole blocks
 * alone, since such a write has to begin and end where pages do; where the disk refuses it nothing of this is tried again.
 */
import { constants } from 'node:fs';
import pLimit from 'p-limit';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { OpenDescriptor } from '../open-descriptor.ts';

/** At the same time: each occupies one of four threads until the disk has the bytes, and drafts and reads of the cache want theirs. */
const MOST_AT_ONCE = 2;
/** That a process or the system has no more of: it may have later. */
const SHORTAGES: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'ENOSPC', 'EDQUOT', 'EIO']);

export interface DirectWritesParts {
  /** Whether the block begins where a page does, and is as long as all but the last. */
  readonly isAligned: (block: Uint8Array) => boolean;
  /** Whether blocks come faster than they are written: then the page cache may have them, and the disk later. */
  readonly isBehind: () => boolean;
  readonly log: Log;
}

/** Those of one disk cache. */
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

  /** Writes `blocks` to a file of `open`. False where not all of them are: some may be. Never rejects: any other way of writing tells why. */
  async write(file: OpenDescriptor, blocks: readonly Uint8Array[], position: number): Promise<boolean> {
    const written = await this.#orNull(() => this.#gate(() => file.writeTogether(blocks, position)));
    return written === blocks.reduce((sum, { length }) => sum + length, 0);
  }

  async #orNull<Result>(action: () => Promise<Result>): Promise<Result | null> {
    try {
      return await action();
    } catch (error) {
      if (!SHORTAGES.has(systemErrorCode(error) ?? '')) this.#arePossible = false;
      const { log } = this.#parts;
      log.debug('blocks go to the disk cache through the page cache', { cause: describeError(error) });
      return null;
    }
  }
}
