/**
 * Where do the bytes of an answer lie until the kernel has them? In buffers that are used again: to get as much fresh memory from the
 * system takes longer than to copy the bytes.
 */
import type { Clock } from '../../base/clock.ts';
import { IdleWatch } from '../../base/idle-watch.ts';

/** What Node's own pool of small buffers is for. */
const SMALLEST_BYTES = 64 * 1024;
/** Room for the header, beside bytes whose number is mostly a power of two: rounded up together, each answer would take twice its size. */
const HEADER_BYTES = 4096;
/** Those of the requests that one busy program has in flight. */
const MOST_KEPT_BYTES = 8 * 1024 * 1024;
const IDLE_MS = 10_000;

export class BufferPool {
  readonly #idle: IdleWatch;
  readonly #free = new Map<number, Buffer[]>();
  #keptBytes = 0;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#idle = new IdleWatch(clock, IDLE_MS, () => {
      this.#free.clear();
      this.#keptBytes = 0;
    });
  }

  /** At least `bytes` of whatever was there before. */
  take(bytes: number): Buffer {
    if (bytes < SMALLEST_BYTES) return Buffer.allocUnsafe(bytes);
    const size = HEADER_BYTES + 2 ** Math.ceil(Math.log2(bytes - HEADER_BYTES));
    const kept = this.#free.get(size)?.pop();
    if (kept === undefined) return Buffer.allocUnsafe(size);
    this.#keptBytes -= size;
    return kept;
  }

  /** `buffer`, as `take` gave it, may be used for something else from now on. One that is never given back is only forgotten. */
  giveBack(buffer: Buffer): void {
    const size = buffer.length;
    if (size < SMALLEST_BYTES || this.#keptBytes + size > MOST_KEPT_BYTES) return;
    const kept = this.#free.get(size);
    if (kept === undefined) this.#free.set(size, [buffer]);
    else kept.push(buffer);
    this.#keptBytes += size;
    this.#idle.used();
  }
}
