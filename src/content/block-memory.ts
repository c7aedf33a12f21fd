/**
 * Where do the bytes of blocks lie? In memory that is used again: as many new buffers as a fast line fills would have the engine look for
 * garbage again and again, in all its threads, which takes as long as everything else that a read does.
 */
import { ALIGNMENT } from './aligned-memory.ts';

/** Bytes of memory that is got at once, for several blocks. */
const PIECE = 2 * 1024 * 1024;

/** As `alignedMemory`. */
export type MemorySource = (bytes: number) => ArrayBuffer | null;

/** Fixed blocks, each with its holders. One that is never let go of is only forgotten. */
export class BlockMemory {
  /** Bytes. */
  readonly blockSize: number;
  readonly #source: MemorySource | null;
  /** How many hold each block that came from here. */
  readonly #holders = new WeakMap<Uint8Array, number>();
  readonly #aligned = new WeakSet<ArrayBufferLike>();
  readonly #free: Uint8Array[] = [];
  /** Those that nobody has had yet: they take no memory before. */
  #untouched: Uint8Array[] = [];

  /** With a `source`, blocks of a size that allows it begin where pages do. */
  constructor(blockSize: number, source: MemorySource | null = null) {
    this.blockSize = blockSize;
    this.#source = blockSize % ALIGNMENT === 0 ? source : null;
  }

  /** Bytes that nobody holds. */
  get free(): number {
    return this.#free.length * this.blockSize;
  }

  /** A block of whatever was there before, with one holder. Those that are not of the common size are not used again. */
  take(bytes: number): Uint8Array {
    if (bytes !== this.blockSize) return fresh(bytes);
    const block = this.#free.pop() ?? this.#untouched.pop() ?? this.#more();
    this.#holders.set(block, 1);
    return block;
  }

  /** Whether `block` is one of the common size that begins where a page does. */
  isAligned(block: Uint8Array): boolean {
    return block.length === this.blockSize && this.#aligned.has(block.buffer);
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

  /** Gives back to the system what nobody holds beyond so many bytes, as far as nobody holds anything of the same piece of memory. */
  trimTo(bytes: number): void {
    const most = Math.max(0, Math.floor(bytes / this.blockSize));
    let rest = this.#free.length;
    if (rest <= most) return;
    const going = new Set<ArrayBufferLike>();
    for (const [piece, { all, used }] of this.#freeByPiece()) {
      if (rest - used < most || all < Math.floor(piece.byteLength / this.blockSize)) continue;
      going.add(piece);
      rest -= used;
    }
    if (going.size === 0) return;
    const staying = ({ buffer }: Uint8Array): boolean => !going.has(buffer);
    this.#free.splice(0, Infinity, ...this.#free.filter(staying));
    this.#untouched = this.#untouched.filter(staying);
  }

  /** How many blocks of each piece nobody holds, and how many of them somebody has held. */
  #freeByPiece(): Map<ArrayBufferLike, { all: number; used: number }> {
    const counts = new Map<ArrayBufferLike, { all: number; used: number }>();
    const count = ({ buffer }: Uint8Array, used: number): void => {
      const of = counts.get(buffer) ?? { all: 0, used: 0 };
      counts.set(buffer, { all: of.all + 1, used: of.used + used });
    };
    for (const block of this.#free) count(block, 1);
    for (const block of this.#untouched) count(block, 0);
    return counts;
  }

  #more(): Uint8Array {
    const piece = this.#source?.(Math.max(PIECE, this.blockSize)) ?? null;
    if (piece === null) return fresh(this.blockSize);
    this.#aligned.add(piece);
    for (let at = this.blockSize; at + this.blockSize <= piece.byteLength; at += this.blockSize)
      this.#untouched.push(new Uint8Array(piece, at, this.blockSize));
    return new Uint8Array(piece, 0, this.blockSize);
  }
}

/** Not zeroed: it is filled anyway. */
function fresh(bytes: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer);
}
