/**
 * Where do the bytes of a read go? Into memory of whoever asks, by copy; or they stay where they lie, for one who can do with that. Each
 * copy of what a fast line brings takes time of the one thread that everybody waits for.
 */

/** Bytes that stay as they are until `free`, which is called once. */
export interface HeldBytes {
  readonly bytes: Uint8Array;
  readonly free: () => void;
}

/** A `Uint8Array` is one, which takes copies. */
export interface ReadInto {
  /** Bytes that are asked for. */
  readonly length: number;
  /** Room for a copy of those from `start` to `end`. */
  subarray(start: number, end: number): Uint8Array;
  /**
   * Takes those from `start` on as they lie, in place of whatever was copied there. Called only by a read that is about to resolve: what
   * failed leaves nothing behind. Absent: all are copied.
   */
  lend?(start: number, held: HeldBytes): void;
}
