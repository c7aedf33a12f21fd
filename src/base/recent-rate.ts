/** How much a second is it lately? */
import type { Clock } from './clock.ts';

/** Over which the rate is taken, in seconds. */
export const RATE_SPAN = 10;

interface Slot {
  readonly second: number;
  amount: number;
}

/** One number that grows. */
export class RecentRate {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** The oldest first. */
  #slots: Slot[] = [];

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  add(amount: number): void {
    const second = this.#second();
    const last = this.#slots.at(-1);
    if (last?.second === second) last.amount += amount;
    else this.#slots = [...this.#recent(second), { second, amount }];
  }

  /** A second, over the last `RATE_SPAN` seconds. */
  perSecond(): number {
    return this.#recent(this.#second()).reduce((sum, { amount }) => sum + amount, 0) / RATE_SPAN;
  }

  #recent(second: number): Slot[] {
    return this.#slots.filter((slot) => slot.second > second - RATE_SPAN);
  }

  #second(): number {
    return Math.floor(this.#clock.monotonic() / 1000);
  }
}
