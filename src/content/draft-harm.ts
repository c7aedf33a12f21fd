/** Is what a draft holds still what programs have written? After which error of the disk is it not? */
import { systemErrorCode } from '../base/errors.ts';
import { lostBytes, writeFailedBefore } from './draft-errors.ts';

/** Errors of the disk after which nobody knows what the file holds. */
const POISON: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EIO']);

/** What has gone wrong with one draft's bytes. */
export class DraftHarm {
  #poisoned: string | null = null;
  #hasLost = false;

  /** The code of the error for which a change was not made, or half; null where none is missing. */
  get poisoned(): string | null {
    return this.#poisoned;
  }

  /** A change was not made, or half, because of `error`. */
  poison(error: unknown): void {
    this.#poisoned = systemErrorCode(error) ?? 'EIO';
  }

  /** Because of `error` bytes are not there of which a program was told that they are taken. */
  lose(error: unknown): void {
    this.#hasLost = true;
    this.poison(error);
  }

  /** All bytes are cut off: none is missing of those that come. */
  heal(): void {
    this.#poisoned = null;
    this.#hasLost = false;
  }

  /** Throws where the bytes must not be uploaded, or added to. */
  refuse(): void {
    if (this.#poisoned !== null) throw writeFailedBefore(this.#poisoned);
  }

  /** Throws where the bytes must not be read. */
  refuseReading(): void {
    if (this.#hasLost) throw lostBytes();
  }

  /** Runs a step that concerns all bytes, and settles as it does. */
  async orPoison(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (POISON.has(systemErrorCode(error) ?? 'EIO')) this.poison(error);
      throw error;
    }
  }
}
