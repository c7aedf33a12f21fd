/**
 * Is it worth while to write past the page cache? On a disk that takes bytes about as fast as memory does. On any other a program that
 * copies a file had better fill memory, while the disk comes after.
 */
import type { Clock } from '../base/clock.ts';

/** Bytes of a look: a single write may have waited for something else, as for a processor. */
const STRETCH = 32 * 1024 * 1024;
/** Bytes a millisecond. Slower is a disk that somebody would notice. */
const FAST = 400_000;
/** Milliseconds until the next look at a slow disk, which costs what it takes a stretch. */
const REST = 30_000;

/** That of one disk. */
export class DiskPace {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #bytes = 0;
  /** Milliseconds in which at least one of them was in progress. */
  #took = 0;
  #running = 0;
  /** From when on the time that they take is still to be counted. */
  #from = 0;
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Whether it was found too slow of late. */
  get isSlow(): boolean {
    return this.#clock.monotonic() < this.#restsUntil;
  }

  /** Runs `write`, which writes `bytes`. Settles as it does. */
  async timed<Result>(bytes: number, write: () => Promise<Result>): Promise<Result> {
    if (this.#running === 0) this.#from = this.#clock.monotonic();
    this.#running += 1;
    try {
      return await write();
    } finally {
      this.#running -= 1;
      this.#note(bytes);
    }
  }

  #note(bytes: number): void {
    const now = this.#clock.monotonic();
    this.#bytes += bytes;
    this.#took += now - this.#from;
    this.#from = now;
    // The time alone is enough to know: a stretch of a disk that hangs never ends.
    if (this.#took * FAST > STRETCH) this.#restsUntil = now + REST;
    else if (this.#bytes < STRETCH) return;
    this.#bytes = 0;
    this.#took = 0;
  }
}
