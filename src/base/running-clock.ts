/**
 * For how long has this process been able to run?
 *
 * Deadlines go by this. While a process is stopped, or its machine swaps, is frozen or asleep, no answer can reach it: that time says nothing of
 * whoever was to answer, and on waking all deadlines would be over before the answers that lie at the sockets are read. So time counts in short
 * stretches, and one that came out far too long counts for next to nothing.
 */
import type { Clock } from './clock.ts';

/** How long a stretch is meant to be, as long as somebody waits. All in milliseconds. */
const STRETCH = 1000;
/** A longer one is no accident of a busy process any more. */
const LONGEST_STRETCH = 2000;
/** What counts of one that was longer: with nothing, a process that always stands still would wait for ever. */
const OF_A_LONG_STRETCH = 100;
/** Who stood still for so long may have missed something. */
const SLEEP = 10_000;

const clocks = new WeakMap<Clock, RunningClock>();

/** One for all who go by the same clock: whoever waits anywhere keeps it going for the others. */
export class RunningClock implements Clock {
  readonly #clock: Clock;
  /** Running milliseconds up to the last look. */
  #counted = 0;
  /** When that was: monotonic, and as the machine believes. */
  #at: number;
  #wall: number;
  /** How many wait for the end of something. While nobody does, nobody looks. */
  #waiting = 0;
  #sleeps = 0;
  /** Monotonic milliseconds at the end of the last sleep. */
  #wokeAt = Number.NEGATIVE_INFINITY;

  private constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.monotonic();
    this.#wall = clock.now();
  }

  static of(clock: Clock): RunningClock {
    const known = clocks.get(clock);
    if (known !== undefined) return known;
    const running = new RunningClock(clock);
    clocks.set(clock, running);
    return running;
  }

  now(): number {
    return this.#clock.now();
  }

  /** Milliseconds, without those in which nothing could run. Only as long as somebody waits (`after`, `sleep`, `count`) do all others count. */
  monotonic(): number {
    const [at, wall] = [this.#clock.monotonic(), this.#clock.now()];
    const passed = at - this.#at;
    // The monotonic clock of Linux stands still while the machine sleeps, that on the wall does not. Where a person sets it forward, nothing is lost.
    const asleep = wall - this.#wall - passed;
    this.#at = at;
    this.#wall = wall;
    this.#counted += passed > LONGEST_STRETCH ? OF_A_LONG_STRETCH : passed;
    if (asleep >= SLEEP || (this.#waiting > 0 && passed >= SLEEP)) {
      this.#sleeps += 1;
      this.#wokeAt = at;
    }
    return this.#counted;
  }

  /** By the clock that it goes by: whatever was to be done after a while is due when the process wakes. */
  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    const stop = this.count();
    try {
      await this.#clock.sleep(milliseconds, signal);
    } finally {
      stop();
    }
  }

  /** As `Clock.after`, but of `milliseconds` in which the process could run. */
  after(milliseconds: number, action: () => void): () => void {
    const endsAt = this.monotonic() + milliseconds;
    let cancel: () => void = () => undefined;
    let isOver = false;
    const end = (): void => {
      if (!isOver) this.#waiting -= 1;
      isOver = true;
    };
    const wait = (left: number): void => {
      cancel = this.#clock.after(Math.min(left, STRETCH), () => {
        const after = endsAt - this.monotonic();
        if (after > 0) {
          wait(after);
          return;
        }
        end();
        action();
      });
    };
    this.#waiting += 1;
    wait(milliseconds);
    return () => {
      end();
      cancel();
    };
  }

  /** Time counts until the returned function is called. */
  count(): () => void {
    return this.after(Number.POSITIVE_INFINITY, () => undefined);
  }

  /** How many sleeps were noticed by now. */
  get sleeps(): number {
    this.monotonic();
    return this.#sleeps;
  }

  /** Whether a sleep ended less than `milliseconds` ago: whoever began to ask something before it may have an old answer. */
  hasWokenWithin(milliseconds: number): boolean {
    this.monotonic();
    return this.#at - this.#wokeAt < milliseconds;
  }
}
