/** A clock that moves only when a test says so. */
import type { Clock } from '../../src/base/clock.ts';

interface Timer {
  readonly at: number;
  readonly action: () => void;
}

/** Timers fire inside `advance`, in order. Sleeps end at once, moving the clock, unless `holdSleeps` is set. */
export class ManualClock implements Clock {
  /** How long each sleep was asked to be, in milliseconds. */
  readonly sleeps: number[] = [];
  holdSleeps = false;

  readonly #timers = new Set<Timer>();
  #now: number;
  #elapsed = 0;

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    this.sleeps.push(milliseconds);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        cancel();
        reject(signal?.reason as Error);
      };
      const cancel = this.after(milliseconds, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      if (signal?.aborted === true) onAbort();
      else signal?.addEventListener('abort', onAbort, { once: true });
      if (!this.holdSleeps) this.advance(milliseconds);
    });
  }

  after(milliseconds: number, action: () => void): () => void {
    const timer = { at: this.#elapsed + milliseconds, action };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  advance(milliseconds: number): void {
    const target = this.#elapsed + milliseconds;
    for (;;) {
      const next = [...this.#timers].filter((timer) => timer.at <= target).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#move(Math.max(next.at, this.#elapsed));
      next.action();
    }
    this.#move(target);
  }

  /** The process does not run for so long: what was due meanwhile comes afterwards, all of it late. */
  standStill(milliseconds: number): void {
    this.#move(this.#elapsed + milliseconds);
    this.advance(0);
  }

  /** The machine sleeps for so long, which only the clock on the wall counts. Negative: somebody sets that back. */
  sleepThrough(milliseconds: number): void {
    this.#now += milliseconds;
  }

  #move(elapsed: number): void {
    this.#now += elapsed - this.#elapsed;
    this.#elapsed = elapsed;
  }
}
