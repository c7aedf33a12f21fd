/**
 * Where do the bytes of an upload lie on their way? In memory that is used again once they have left: new memory for each chunk had the engine
 * look for garbage after every few dozen of them, in all of its memory.
 */

/** Of one upload, over all its tries. */
export class ChunkMemory {
  /** Bytes. */
  readonly #chunkSize: number;
  readonly #spare: Buffer[] = [];
  /** Of chunks of which somebody may still look at a byte. What is never given back is only forgotten. */
  readonly #lent = new WeakSet<ArrayBufferLike>();

  constructor(chunkSize: number) {
    this.#chunkSize = chunkSize;
  }

  /** For `bytes`, at most a chunk; of whatever was there before. */
  take(bytes: number): Buffer {
    // The last one. Alone in its memory, the block cache may keep it as it is.
    if (bytes < this.#chunkSize) return Buffer.allocUnsafeSlow(bytes);
    const chunk = this.#spare.pop() ?? Buffer.allocUnsafeSlow(bytes);
    this.#lent.add(chunk.buffer);
    return chunk;
  }

  /** `piece` of a chunk has left, and those before it. */
  giveBack({ buffer, byteOffset, byteLength }: Uint8Array): void {
    const isLast = byteOffset + byteLength === this.#chunkSize;
    if (isLast && this.#lent.delete(buffer)) this.#spare.push(Buffer.from(buffer));
  }
}
