/**
 * What is in files too large to be kept? One pattern again and again, for each file from another place on: any number of gigabytes
 * from a few megabytes of memory, the same in every process, and no block looks like another.
 */
import { createCipheriv } from 'node:crypto';
import type { ByteRange } from '../../src/base/byte-range.ts';

/** A prime: no offset that is a round number, however large, meets the same bytes again. */
const PATTERN_BYTES = 16_777_213;
/** How far apart files begin in the pattern. */
const STEP_BYTES = 1_234_567;
/** The most that `Pattern.bytes` gives at once. */
export const MOST_AT_ONCE = 1024 * 1024;

/** A file whose bytes follow from its number. */
export interface PatternedFile {
  readonly key: string;
  readonly size: number;
  /** Files of different numbers, below ten million, differ at every offset. */
  readonly number: number;
}

/** To be made once in a process. */
export class Pattern {
  readonly #bytes: Buffer;

  constructor() {
    const zeros = Buffer.alloc(PATTERN_BYTES);
    const pattern = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(zeros);
    // Its beginning follows its end, so that whatever is asked for is in one piece.
    this.#bytes = Buffer.concat([pattern, pattern.subarray(0, MOST_AT_ONCE)]);
  }

  /** Of file `number`, from `start` on: a view, not to be changed. `length` is at most `MOST_AT_ONCE`. */
  bytes(number: number, start: number, length: number): Buffer {
    const from = (start + number * STEP_BYTES) % PATTERN_BYTES;
    return this.#bytes.subarray(from, from + length);
  }

  /** Throws when `found` is not what the file has from `start` on. */
  check(number: number, start: number, found: Uint8Array): void {
    for (let at = 0; at < found.length; at += MOST_AT_ONCE) {
      const piece = found.subarray(at, at + MOST_AT_ONCE);
      if (!this.bytes(number, start + at, piece.length).equals(piece))
        throw new Error(`wrong bytes in file ${number} after ${start + at}`);
    }
  }

  /** The bytes of a range, in views. */
  *pieces(number: number, { start, end }: ByteRange, pieceBytes: number): Generator<Buffer> {
    for (let at = start; at < end; at += pieceBytes)
      yield this.bytes(number, at, Math.min(pieceBytes, end - at));
  }
}
