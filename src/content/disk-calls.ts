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

/** For how many milliseconds no call is made here after a slow one that took so many. */
export type Rest = (took: number) => number;

/** Milliseconds: what standing still may cost in the worst case is a small part of that. */
const LONG = 5000;
const REST_FACTOR = 50;
/** Milliseconds: a process that was stopped meanwhile is no disk that was slow for hours. */
const LONGEST = 60_000;

const long: Rest = () => LONG;
/**
 * For calls beside reads that take all processors: what looks slow there has mostly lost its processor to others for a moment, and just then
 * a trip to another thread takes long. Standing still costs a fiftieth of the time in the worst case.
 */
export const inProportion: Rest = (took) => Math.min(REST_FACTOR * took, LONGEST);

/** One for each disk, or for all. */
export class DiskCalls {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #rest: Rest;
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'monotonic'>, rest: Rest = long) {
    this.#clock = clock;
    this.#rest = rest;
  }

  /** The same call in both ways: as `here` returns or throws, or as `elsewhere` settles. */
  async make<Result>(here: () => Result, elsewhere: () => Promise<Result>): Promise<Result> {
    const from = this.#clock.monotonic();
    if (from < this.#restsUntil) return elsewhere();
    try {
      return here();
    } finally {
      const to = this.#clock.monotonic();
      if (to - from > SLOW) this.#restsUntil = to + this.#rest(to - from);
    }
  }
}
