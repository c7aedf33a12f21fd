/**
 * Which bytes does one GET ask for? A large file is read as a first window and parts of one size after it, so that a
 * sequential read costs a number of GETs that can be told beforehand. Pure arithmetic.
 */
import type { ByteRange } from '../base/byte-range.ts';

export interface ReadSizes {
  /** Bytes of the first GET; a file that is not larger is read by one plain GET. A multiple of the block size. */
  readonly firstWindow: number;
  /** Bytes of each GET after it. A multiple of the block size. */
  readonly part: number;
}

/** Bytes. Large enough for most files of a project, small enough to be there at once. */
export const FIRST_WINDOW = 1024 * 1024;
/** Bytes. Large enough that the time to the first byte does not matter. */
export const PART = 8 * 1024 * 1024;

/** Parts on their way for one run: enough to fill the wire where the first byte of each is late. */
export const MOST_PARTS = 8;

/** A part that is a large share of the cache would push its own bytes out before they are read. */
const LARGEST_SHARE = 1 / 4;

/** The sizes, cut so that they fit into a cache of `maxBytes`. */
export function sizesFor(wanted: ReadSizes, cache: { maxBytes: number; blockSize: number }): ReadSizes {
  const most = cache.maxBytes * LARGEST_SHARE;
  const fit = (size: number): number => {
    const blocks = Math.floor(Math.min(size, most) / cache.blockSize);
    return Math.max(1, blocks) * cache.blockSize;
  };
  return { firstWindow: fit(wanted.firstWindow), part: fit(wanted.part) };
}

/** The sizes for a run that may have `share` bytes on its way or unread: two parts at least, so that one can be read meanwhile. */
export function sizesWithin(sizes: ReadSizes, share: number, blockSize: number): ReadSizes {
  const half = share / 2;
  if (half >= sizes.part) return sizes;
  return { ...sizes, part: Math.max(1, Math.floor(half / blockSize)) * blockSize };
}

/** The window or part that byte `position` of a file of `size` bytes lies in. */
export function cellAt(position: number, size: number, sizes: ReadSizes): ByteRange {
  const { firstWindow, part } = sizes;
  if (position < firstWindow) return { start: 0, end: Math.min(firstWindow, size) };
  const start = firstWindow + Math.floor((position - firstWindow) / part) * part;
  return { start, end: Math.min(start + part, size) };
}

/** The block-sized pieces of `range`, cut at block boundaries. */
export function* blockPieces(range: ByteRange, blockSize: number): Generator<ByteRange> {
  for (let start = range.start; start < range.end;) {
    const end = Math.min(range.end, start - (start % blockSize) + blockSize);
    yield { start, end };
    start = end;
  }
}
