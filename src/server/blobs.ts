/**
 * Where are the bytes of the files?
 *
 * A blob is written once under a name of its own and never changed: it is complete when `receive` resolves and does not exist
 * before. Whoever has begun to read a blob reads it to the end, also when it is removed meanwhile.
 */
import type { ByteRange } from '../base/byte-range.ts';

/** Bytes under names of their own; on disk or in memory. */
export interface Blobs {
  /** Stores all that `source` yields under `id`, durably. When `source` rejects nothing is kept, and this rejects alike. */
  receive(id: string, source: AsyncIterable<Uint8Array>): Promise<void>;
  /** The bytes of `range`; undefined when there is no such blob. Must be read to the end or closed (`return`). */
  read(id: string, range: ByteRange): Promise<AsyncIterableIterator<Uint8Array> | undefined>;
  /** Also resolves when there is none. */
  remove(id: string): Promise<void>;
  /** Removes every blob that is not in `used`, and all that was half received when the process ended. */
  sweep(used: ReadonlySet<string>): Promise<void>;
}

/** Pieces of this many bytes: large enough to be cheap, small enough to stream. */
export const PIECE_SIZE = 64 * 1024;
