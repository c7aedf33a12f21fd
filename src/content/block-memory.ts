/**
 * Where do the bytes of blocks lie? In memory that is used again: as many new buffers as a fast line fills would have the engine look for
 * garbage again and again, in all its threads, which takes as long as everything else that a read does.
 */

/** Fixed blocks, each with its holders. One that is never let go of is only forgotten. */
export class BlockMemory {
  /** Bytes. */
  readonly blockSize: number;
  /** How many hold each block that came from here. */
  readonly #holders = new WeakMap<Uint8Array, number>();
  readonly #free: Uint8Array[] = [];

  constructor(blockSize: number) {
    this.blockSize = blockSize;
  }

  /** Bytes that nobody holds. */
  get free(): number {
    return this.#free.length * this.blockSize;
  }

  /** A block of whatever was there before, with one holder. Those that are not of the common size are not used again. */
  take(bytes: number): Uint8Array {
    if (bytes !== this.blockSize) return fresh(bytes);
    const block = this.#free.pop() ?? fresh(bytes);
    this.#holders.set(block, 1);
    return block;
  }

  /** One more keeps `block` as it is. Does nothing for what did not come from here. */
  hold(block: Uint8Array): void {
    const holders = this.#holders.get(block);
    if (holders !== undefined) this.#holders.set(block, holders + 1);
  }

  /** One fewer does. After the last, its bytes may change at any time. */
  letGo(block: Uint8Array): void {
    const holders = this.#holders.get(block);
    if (holders === undefined) return;
    if (holders > 1) {
      this.#holders.set(block, holders - 1);
    } else {
      this.#holders.delete(block);
      this.#free.push(block);
    }
  }

  /** Gives back to the system what nobody holds beyond so many bytes. */
  trimTo(bytes: number): void {
    const most = Math.max(0, Math.floor(bytes / this.blockSize));
    if (this.#free.length > most) this.#free.length = most;
  }
}

/** Not zeroed: it is filled anyway. */
function fresh(bytes: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer);
}
