/**
 * Where is a short call of the local disk made: here, where it mostly costs less than a hundredth of the trip to another thread
 * and back, or in that thread?
 *
 * Here, while the disk answers from memory, as it does when a small file is written. All programs stand still meanwhile, so after
 * a call that was slow (a disk that must write before it takes more, one on a network) the other threads have their turn.
 */
import type { Clock } from '../base/clock.ts';

/** Milliseconds. Many times what a call takes that has not waited for anything. */
const SLOW = 2;

/**
 * No call is made here after a slow one for so many times as long: standing still costs a fiftieth of the time in the worst case. Not for
 * longer, since what looks slow has mostly lost its processor to others for a moment, and just then a trip to another thread takes long.
 */
const REST_FACTOR = 50;
/** Milliseconds: a process that was stopped meanwhile is no disk that was slow for hours. */
const LONGEST_REST = 60_000;

/** One for each disk, or for all. */
export class DiskCalls {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** The same call in both ways: as `here` returns or throws, or as `elsewhere` settles. */
  async make<Result>(here: () => Result, elsewhere: () => Promise<Result>): Promise<Result> {
    const from = this.#clock.monotonic();
    if (from < this.#restsUntil) return elsewhere();
    try {
      return here();
    } finally {
      const to = this.#clock.monotonic();
      const took = to - from;
      if (took > SLOW) this.#restsUntil = to + Math.min(REST_FACTOR * took, LONGEST_REST);
    }
  }
}
