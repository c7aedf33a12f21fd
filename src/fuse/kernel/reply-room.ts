/**
 * Where do the bytes of a read lie until the kernel has them? In a buffer behind the header of the answer; or where they are, lent by the
 * file system, in pieces that the kernel takes together with the header.
 */
import type { HeldBytes, ReadInto } from '../../base/read-into.ts';
import type { Answer } from './answer.ts';
import type { BufferPool } from './buffer-pool.ts';
import { emptyReply, REPLY_HEADER_BYTES } from './replies.ts';

interface LentPiece extends HeldBytes {
  readonly start: number;
}

/** For one read. Of one that fails nothing was lent, and the room is only forgotten. */
export class ReplyRoom implements ReadInto {
  readonly length: number;
  readonly #buffers: BufferPool;
  /** Taken once something is to be copied. */
  #buffer: Buffer | null = null;
  readonly #lent: LentPiece[] = [];

  /** For `length` bytes at most. */
  constructor(length: number, buffers: BufferPool) {
    this.length = length;
    this.#buffers = buffers;
  }

  subarray(start: number, end: number): Uint8Array {
    this.#buffer ??= this.#buffers.take(REPLY_HEADER_BYTES + this.length);
    return this.#buffer.subarray(REPLY_HEADER_BYTES + start, REPLY_HEADER_BYTES + end);
  }

  lend(start: number, { bytes, free }: HeldBytes): void {
    this.#lent.push({ start, bytes, free });
  }

  /** The first `count` bytes. */
  answer(count: number): Answer {
    const finished = (): void => {
      this.#free();
    };
    if (this.#lent.length > 0) return { reply: emptyReply(), data: this.#pieces(count), finished };
    const reply = this.#buffer?.subarray(0, REPLY_HEADER_BYTES + count) ?? emptyReply();
    return { reply, finished };
  }

  /** What was lent, and between it what was copied. */
  #pieces(count: number): readonly Uint8Array[] {
    const pieces: Uint8Array[] = [];
    let next = 0;
    for (const { start, bytes } of this.#lent.toSorted((one, other) => one.start - other.start)) {
      if (start > next) pieces.push(this.subarray(next, start));
      pieces.push(bytes);
      next = start + bytes.length;
    }
    if (next < count) pieces.push(this.subarray(next, count));
    return pieces;
  }

  #free(): void {
    for (const { free } of this.#lent) free();
    if (this.#buffer !== null) this.#buffers.giveBack(this.#buffer);
  }
}
