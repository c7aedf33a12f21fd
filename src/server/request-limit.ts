/** Is a request one too many? (§8 shows no rate limit, which is no promise that there is none) */
import type { Clock } from '../base/clock.ts';

/** Lets so many pass in a second: a second's worth at once, then each as its time comes. */
export class RequestLimit {
  readonly #clock: Clock;
  /** Null: no limit. */
  readonly #perSecond: number | null;

  #left: number;
  #at = 0;

  constructor(perSecond: number | null, clock: Clock) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#left = perSecond ?? 0;
  }

  /** Whether the next one passes. */
  take(): boolean {
    if (this.#perSecond === null) return true;
    const now = this.#clock.monotonic();
    const regained = ((now - this.#at) / 1000) * this.#perSecond;
    this.#left = Math.min(this.#perSecond, this.#left + regained);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
