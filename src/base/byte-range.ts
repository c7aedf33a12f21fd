/** Which bytes? Half-open ranges, as `Uint8Array.subarray` takes them, not as the Range header writes them. */

export interface ByteRange {
  /** First byte, counted from 0. */
  readonly start: number;
  /** One past the last byte. */
  readonly end: number;
}

/** How many bytes; 0 for a range that ends before it starts. */
export function byteLength(range: ByteRange): number {
  return Math.max(0, range.end - range.start);
}

/** The part that both ranges have in common; empty (start === end) when there is none. */
export function intersection(a: ByteRange, b: ByteRange): ByteRange {
  const start = Math.max(a.start, b.start);
  return { start, end: Math.max(start, Math.min(a.end, b.end)) };
}
