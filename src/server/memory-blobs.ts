/** Where are the bytes of the files, when nothing has to outlive the process? */
import type { ByteRange } from '../base/byte-range.ts';
import { PIECE_SIZE, type Blobs } from './blobs.ts';

/** Blobs that end with the process. */
export class MemoryBlobs implements Blobs {
  readonly #blobs = new Map<string, Buffer>();

  async receive(id: string, source: AsyncIterable<Uint8Array>): Promise<void> {
    const pieces: Uint8Array[] = [];
    // Copied: the source may use its buffer again.
    for await (const piece of source) pieces.push(Uint8Array.from(piece));
    this.#blobs.set(id, Buffer.concat(pieces));
  }

  read(id: string, range: ByteRange): Promise<AsyncIterableIterator<Uint8Array> | undefined> {
    const blob = this.#blobs.get(id);
    return Promise.resolve(blob === undefined ? undefined : pieces(blob.subarray(range.start, range.end)));
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

// An iterator by hand: there is nothing to wait for.
function pieces(bytes: Buffer): AsyncIterableIterator<Uint8Array> {
  let position = 0;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => {
      if (position >= bytes.length) return Promise.resolve({ done: true, value: undefined });
      const piece = Uint8Array.from(bytes.subarray(position, position + PIECE_SIZE));
      position += piece.length;
      return Promise.resolve({ done: false, value: piece });
    },
    return: () => {
      position = bytes.length;
      return Promise.resolve({ done: true, value: undefined });
    },
  };
}
