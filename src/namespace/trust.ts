/** For how long is an answer of the service believed? For the TTL, in a long listing for longer, and until somebody says otherwise. */
import type { Clock } from '../base/clock.ts';
import { Forgotten } from './forgotten.ts';
import type { WalkSpan } from './walk.ts';

/** Milliseconds: what was learned longer ago than a day is part of no listing any more. */
const LONGEST_BELIEVED = 24 * 3600 * 1000;

export class Trust {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #ttl: number;
  readonly #forgotten = new Forgotten();

  /** `ttl`: milliseconds. */
  constructor(clock: Pick<Clock, 'monotonic'>, ttl: number) {
    this.#clock = clock;
    this.#ttl = ttl;
  }

  /** Nothing that was learned of `path`, or below it, before now is believed any more. */
  forget(path: string): void {
    const now = this.#clock.monotonic();
    this.#forgotten.forget(path, now, now - Math.max(this.#ttl, LONGEST_BELIEVED));
  }

  /** Whether what was learned of `path` at `at` is to be believed no more, however young it is. */
  isForgotten(path: string, at: number): boolean {
    return this.#forgotten.isForgotten(path, at);
  }

  /**
   * For how many more milliseconds something about `path`, confirmed at `at`, is believed. `walked`: the walk of the folder that it
   * is a name of, as far as it has come. What it told is believed for at least as long as the walk took, counted from its latest
   * page: else a folder of many pages would be old before its walk is at the end.
   */
  leftOf(path: string, at: number, walked: WalkSpan | null = null): number {
    if (this.#forgotten.isForgotten(path, at)) return 0;
    return Math.max(0, this.#until(at, walked) - this.#clock.monotonic());
  }

  #until(at: number, walked: WalkSpan | null): number {
    const until = at + this.#ttl;
    if (walked === null || this.#ttl === 0 || at < walked.since) return until;
    return Math.max(
      until,
      Math.min(walked.at + Math.max(this.#ttl, walked.at - walked.since), at + LONGEST_BELIEVED),
    );
  }
}
