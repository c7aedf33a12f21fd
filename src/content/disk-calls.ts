/**
 * Where is a short call of the local disk made: here, where it mostly costs less than a hundredth of the trip to another thread
 * and back, or in that thread?
 *
 * Here, while the disk answers from memory, as it does when a small file is written. All programs stand still meanwhile, so after
 * the first call that was slow (a disk that must write before it takes more, one on a network) the other threads have their turn.
 */
import type { Clock } from '../base/clock.ts';

/** Milliseconds. Many times what a call takes that has not waited for anything. */
const SLOW = 2;
/** How long no call is made here after a slow one, milliseconds: what standing still may cost in the worst case is a small part of that. */
const REST = 5000;

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
      if (to - from > SLOW) this.#restsUntil = to + REST;
    }
  }
}
