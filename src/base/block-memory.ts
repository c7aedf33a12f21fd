/**
 * Where do the bytes of blocks lie? In memory that is used again: as many new buffers as a fast line fills would have the engine look for
 * garbage again and again, in all its threads, which takes as long as everything else that a read does.
 */
import { ALIGNMENT } from './aligned-memory.ts';

/** Bytes of memory that is got at once, for several blocks: each piece takes addresses for 10 GiB, of which some systems have 512. */
const PIECE = 4 * 1024 * 1024;

/** As `alignedMemory`. */
export type MemorySource = (bytes: number) => ArrayBuffer | null;

/** What blocks are parts of. */
interface Piece {
  readonly memory: WeakRef<ArrayBufferLike>;
  readonly blocks: number;
  /** Of them, those that nobody holds. */
  idle: number;
  /** Of those, the ones that somebody has held. */
  free: number;
}

/** Fixed blocks, each with its holders. One that is never let go of is only forgotten. */
export class BlockMemory {
  /** Bytes. */
  readonly blockSize: number;
  /** How many hold each block that came from here. */
  readonly #holders = new WeakMap<Uint8Array, number>();
  readonly #pieces = new WeakMap<ArrayBufferLike, Piece>();
  /** Of blocks that were forgotten: their piece would never be idle. */
  readonly #forgotten = new FinalizationRegistry<Piece>((piece) => {
    this.#becomesIdle(piece);
  });
  #source: MemorySource | null;
  #free: Uint8Array[] = [];
  /** Those that nobody has had yet: they take no memory before. */
  #untouched: Uint8Array[] = [];
  /** Pieces of which nobody holds a block. */
  readonly #idle = new Set<Piece>();

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
    const used = this.#free.pop();
    const block = used ?? this.#untouched.pop() ?? this.#more();
    const piece = this.#pieces.get(block.buffer);
    if (piece !== undefined) {
      piece.idle -= 1;
      if (used !== undefined) piece.free -= 1;
      this.#idle.delete(piece);
    }
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
      return;
    }
    this.#holders.delete(block);
    this.#free.push(block);
    const piece = this.#pieces.get(block.buffer);
    if (piece === undefined) return;
    piece.free += 1;
    this.#becomesIdle(piece);
  }

  /** Gives back to the system what nobody holds beyond so many bytes, as far as nobody holds anything of the same piece of memory. */
  trimTo(bytes: number): void {
    const most = Math.max(0, Math.floor(bytes / this.blockSize));
    let rest = this.#free.length;
    if (rest <= most || this.#idle.size === 0) return;
    const going = new Set<ArrayBufferLike | undefined>();
    for (const piece of this.#idle) {
      if (rest - piece.free < most) continue;
      going.add(piece.memory.deref());
      this.#idle.delete(piece);
      rest -= piece.free;
    }
    if (going.size === 0) return;
    const staying = ({ buffer }: Uint8Array): boolean => !going.has(buffer);
    this.#free = this.#free.filter(staying);
    this.#untouched = this.#untouched.filter(staying);
  }

  #becomesIdle(piece: Piece): void {
    piece.idle += 1;
    if (piece.idle === piece.blocks) this.#idle.add(piece);
  }

  /** One that is not counted as held yet. */
  #more(): Uint8Array {
    const memory = this.#source?.(Math.max(PIECE, this.blockSize)) ?? null;
    // Not asked again: that may have taken a tenth of a second.
    if (memory === null) this.#source = null;
    const blocks = this.#blocksOf(memory ?? fresh(this.blockSize).buffer);
    const [first = fresh(this.blockSize), ...others] = blocks;
    this.#untouched.push(...others);
    return first;
  }

  #blocksOf(memory: ArrayBufferLike): readonly Uint8Array[] {
    const count = Math.floor(memory.byteLength / this.blockSize);
    const piece: Piece = { memory: new WeakRef(memory), blocks: count, idle: count, free: 0 };
    this.#pieces.set(memory, piece);
    const blocks = Array.from(
      { length: count },
      (_, index) => new Uint8Array(memory, index * this.blockSize, this.blockSize),
    );
    if (count > 1) for (const block of blocks) this.#forgotten.register(block, piece);
    return blocks;
  }
}

/** Not zeroed: it is filled anyway. */
function fresh(bytes: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer);
}
