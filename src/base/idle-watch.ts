/** Since when has nobody used a thing? For what is kept only because it may soon be used again. */
import type { Clock } from './clock.ts';

/** Watches one thing. A timer runs only from a use on until nobody has used the thing for a while. */
export class IdleWatch {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #milliseconds: number;
  readonly #idle: () => void;
  #isUsed = false;
  #isWatching = false;

  /** `idle` is called once nobody has used the thing for one to two times so many milliseconds; again only after another use. */
  constructor(clock: Pick<Clock, 'after'>, milliseconds: number, idle: () => void) {
    this.#clock = clock;
    this.#milliseconds = milliseconds;
    this.#idle = idle;
  }

  /** Costs next to nothing. */
  used(): void {
    this.#isUsed = true;
    if (!this.#isWatching) this.#watch();
  }

  #watch(): void {
    this.#isWatching = true;
    this.#isUsed = false;
    this.#clock.after(this.#milliseconds, () => {
      this.#isWatching = false;
      if (this.#isUsed) this.#watch();
      else this.#idle();
    });
  }
}
