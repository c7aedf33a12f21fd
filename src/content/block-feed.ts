/**
 * How do the bytes of an upload get into the block cache? They pass through here on their way out, and are kept for the
 * version that the upload makes, whose number is known only afterwards.
 */
import type { BlockCache } from './block-cache.ts';

/** Larger files would push everything else out of the cache: this part of it is the most that one upload may take. */
const SHARE_OF_CACHE = 1 / 4;

/** One upload's way past the cache: nobody finds anything of it before `commit`. */
export class BlockFeed {
  readonly #cache: BlockCache;
  readonly #size: number;
  /** Under this number the blocks wait: they make room for others like any, also when the upload never ends well. */
  readonly #waiting: number;
  /** The block that is being filled. */
  #block: Uint8Array | null = null;
  /** Bytes taken, from the first. */
  #taken = 0;

  /** For an upload of `size` bytes. */
  constructor(cache: BlockCache, size: number) {
    this.#cache = cache;
    this.#size = size;
    this.#waiting = cache.provisionalVersion();
  }

  /** Takes the next bytes, which nobody changes any more. Position 0 begins anew: the upload is tried again. */
  take(data: Uint8Array, position: number): void {
    if (this.#size > this.#cache.maxBytes * SHARE_OF_CACHE) return;
    if (position === 0) {
      this.#cache.dropVersion(this.#waiting);
      if (this.#block !== null) this.#cache.memory.letGo(this.#block);
      this.#block = null;
      this.#taken = 0;
    }
    if (position !== this.#taken) return;
    const blockSize = this.#cache.blockSize;
    if (position % blockSize === 0 && isAlone(data, Math.min(blockSize, this.#size - position))) {
      this.#cache.set(this.#waiting, position / blockSize, data);
      this.#taken += data.length;
      return;
    }
    for (let from = 0; from < data.length;) {
      const index = Math.floor(this.#taken / blockSize);
      this.#block ??= this.#cache.memory.take(Math.min(blockSize, this.#size - index * blockSize));
      const offset = this.#taken - index * blockSize;
      const piece = data.subarray(from, from + this.#block.length - offset);
      if (piece.length === 0) return;
      this.#block.set(piece, offset);
      from += piece.length;
      this.#taken += piece.length;
      if (offset + piece.length < this.#block.length) continue;
      this.#cache.set(this.#waiting, index, this.#block);
      this.#cache.memory.letGo(this.#block);
      this.#block = null;
    }
  }

  /** Everything has passed and is the content of `version`. Does nothing when some bytes did not pass. */
  commit(version: number): void {
    if (this.#taken === this.#size) {
      this.#cache.forEach(this.#waiting, (index, block) => {
        this.#cache.set(version, index, block);
      });
    }
    this.#cache.dropVersion(this.#waiting);
  }
}

/** Whether `data` are a block of that length and all of their memory: a copy would take as much again. */
function isAlone(data: Uint8Array, length: number): boolean {
  return data.length === length && data.buffer.byteLength === length;
}
