/** How many bytes may the disk cache hold now? */
import { mkdir, statfs } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import { FREE_SHARE } from '../space-budget.ts';

/** How long it is believed what the disk says of its room: what is written here meanwhile is known. */
const ROOM_AGE_MS = 1000;

export interface CacheRoomParts {
  /** Made when missing. */
  readonly directory: string;
  /** Bytes that cache and others may take together. */
  readonly limit: number;
  /** Bytes that the cache takes. */
  readonly used: () => number;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** The room of one disk cache. */
export class CacheRoom {
  readonly #parts: CacheRoomParts;
  /** Bytes of the limit that others need. */
  #others: () => number = () => 0;
  /** Bytes that the disk had room for, with those that are there, at some time. */
  #onDisk = { at: -Infinity, bytes: 0 };

  constructor(parts: CacheRoomParts) {
    this.#parts = parts;
  }

  /** The limit is for these bytes as well, which come first. */
  shareWith(others: () => number): void {
    this.#others = others;
  }

  /** Bytes. Rejects with the disk's error. */
  async limit(): Promise<number> {
    const { directory, used, clock } = this.#parts;
    const now = clock.monotonic();
    if (now - this.#onDisk.at >= ROOM_AGE_MS) {
      // Somebody may have deleted the cache.
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const { bavail, blocks, bsize } = await statfs(directory);
      const spare = (bavail - blocks * FREE_SHARE) * bsize;
      this.#onDisk = { at: now, bytes: used() + spare };
    }
    return Math.min(this.#parts.limit - this.#others(), this.#onDisk.bytes);
  }
}
