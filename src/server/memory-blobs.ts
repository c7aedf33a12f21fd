/** Where are the bytes of the files, when nothing has to outlive the process? */
import type { ByteRange } from '../base/byte-range.ts';
import { PIECE_SIZE, type Blobs } from './blobs.ts';

/** Bytes of a large blob that lie together. */
const CHUNK_SIZE = 4 * 1024 * 1024;

/** What lies one after the other: all of `CHUNK_SIZE` but the last. */
type Chunks = readonly Uint8Array[];

/** Blobs that end with the process. */
export class MemoryBlobs implements Blobs {
  readonly #blobs = new Map<string, Chunks>();

  async receive(id: string, source: AsyncIterable<Uint8Array>): Promise<void> {
    const gathering = new Gathering();
    for await (const piece of source) gathering.add(piece);
    this.#blobs.set(id, gathering.end());
  }

  read(id: string, range: ByteRange): Promise<AsyncIterableIterator<Uint8Array> | undefined> {
    const chunks = this.#blobs.get(id);
    return Promise.resolve(chunks === undefined ? undefined : pieces(chunks, range));
  }

  remove(id: string): Promise<void> {
    this.#blobs.delete(id);
    return Promise.resolve();
  }

  sweep(used: ReadonlySet<string>): Promise<void> {
    for (const id of this.#blobs.keys()) if (!used.has(id)) this.#blobs.delete(id);
    return Promise.resolve();
  }
}

/**
 * Puts what comes where it stays, as it comes: to put all of it together at the end would let whoever sent a large file wait for a
 * second copy of it.
 */
class Gathering {
  readonly #chunks: Uint8Array[] = [];
  /** The last of them, which grows: most blobs are short. */
  #chunk = new Uint8Array(PIECE_SIZE);
  #filled = 0;

  /** Copied: the source may use its buffer again. */
  add(piece: Uint8Array): void {
    for (let rest = piece; rest.length > 0;) {
      this.#makeRoom(rest.length);
      const count = Math.min(rest.length, this.#chunk.length - this.#filled);
      this.#chunk.set(rest.subarray(0, count), this.#filled);
      this.#filled += count;
      rest = rest.subarray(count);
    }
  }

  end(): Chunks {
    return [...this.#chunks, this.#chunk.slice(0, this.#filled)];
  }

  #makeRoom(bytes: number): void {
    if (this.#filled < this.#chunk.length) return;
    if (this.#chunk.length === CHUNK_SIZE) {
      this.#chunks.push(this.#chunk);
      this.#chunk = new Uint8Array(CHUNK_SIZE);
      this.#filled = 0;
      return;
    }
    const larger = new Uint8Array(Math.min(CHUNK_SIZE, 2 * (this.#filled + bytes)));
    larger.set(this.#chunk);
    this.#chunk = larger;
  }
}

// An iterator by hand: there is nothing to wait for.
function pieces(chunks: Chunks, { start, end }: ByteRange): AsyncIterableIterator<Uint8Array> {
  let position = start;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => {
      const chunk = chunks[Math.floor(position / CHUNK_SIZE)];
      const from = position % CHUNK_SIZE;
      const piece = chunk?.slice(from, Math.min(from + PIECE_SIZE, from + end - position));
      if (piece === undefined || piece.length === 0) return Promise.resolve({ done: true, value: undefined });
      position += piece.length;
      return Promise.resolve({ done: false, value: piece });
    },
    return: () => {
      position = end;
      return Promise.resolve({ done: true, value: undefined });
    },
  };
}
