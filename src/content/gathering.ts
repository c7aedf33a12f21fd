/**
 * Which bytes of one read stay where they are, and which are copied? Large pieces of blocks in memory are held until the read is over,
 * then lent to whoever asked, if that one takes such; everything else is copied.
 */
import type { BlockMemory } from '../base/block-memory.ts';
import type { ByteRange } from '../base/byte-range.ts';
import type { ReadInto } from '../base/read-into.ts';

/** Part of a block, of those of memory caches 32 KiB: less is copied sooner than it is held, lent, and let go of. */
const LEAST_LENT = 1 / 4;

interface HeldPiece {
  readonly start: number;
  readonly bytes: Uint8Array;
  readonly block: Uint8Array;
}

/** What one read has found so far. Ends with `hand` or `drop`, or something is held for ever. */
export class Gathering {
  readonly #into: ReadInto;
  readonly #start: number;
  readonly #memory: BlockMemory;
  #held: HeldPiece[] = [];

  /** For bytes of a file from `start` on, whose blocks are of `memory`. */
  constructor(into: ReadInto, start: number, memory: BlockMemory) {
    this.#into = into;
    this.#start = start;
    this.#memory = memory;
  }

  /** To copy `piece` to. */
  room({ start, end }: ByteRange): Uint8Array {
    return this.#into.subarray(start - this.#start, end - this.#start);
  }

  /** Whether `piece` is better found whole in its block than copied bit by bit. */
  canLend({ start, end }: ByteRange): boolean {
    return this.#into.lend !== undefined && end - start >= LEAST_LENT * this.#memory.blockSize;
  }

  /** `piece` lies in `block`, of which other bytes are still to come. */
  copy(piece: ByteRange, block: Uint8Array): void {
    this.room(piece).set(this.#view(piece, block));
  }

  /** `piece` lies in `block`, which nobody changes as long as somebody holds it. */
  found(piece: ByteRange, block: Uint8Array): void {
    if (!this.canLend(piece)) {
      this.copy(piece, block);
      return;
    }
    this.#memory.hold(block);
    this.#held.push({ start: piece.start, bytes: this.#view(piece, block), block });
  }

  /** What was found until now is not what is wanted, or nobody wants it any more. */
  drop(): void {
    for (const { block } of this.#held) this.#memory.letGo(block);
    this.#held = [];
  }

  /** All is found: whoever asked has what is held from now on. */
  hand(): void {
    for (const { start, bytes, block } of this.#held) {
      this.#into.lend?.(start - this.#start, {
        bytes,
        free: () => {
          this.#memory.letGo(block);
        },
      });
    }
    this.#held = [];
  }

  #view({ start, end }: ByteRange, block: Uint8Array): Uint8Array {
    const offset = start % this.#memory.blockSize;
    return block.subarray(offset, offset + end - start);
  }
}
