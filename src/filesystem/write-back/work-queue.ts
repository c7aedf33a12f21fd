/**
 * Work that nobody waits for: what is begun when, how much at once, and when is it tried again?
 *
 * For ever, after a delay that grows. One item that fails may be at fault itself, so the others go on, but one at a time and after
 * a pause: while the service is away, or takes nothing, a single request now and then asks whether that is over. The first success
 * after several failures tries all that wait, at once. Where many items are at fault, each new one would wait for a pause of a minute
 * for each of them; and those that have failed, for all that come. So new ones and failed ones take turns.
 */
import type { Clock } from '../../base/clock.ts';
import { retryDelay } from './retry-delay.ts';

export interface WorkQueueParts<Item> {
  readonly clock: Pick<Clock, 'after'>;
  /** At least 0 and less than 1. */
  readonly random: () => number;
  /** Items at once. */
  readonly width: number;
  /** Rejects with what went wrong when the item is to be tried again. */
  readonly work: (item: Item) => Promise<void>;
}

/** Each item is in it once, and is worked on by one at a time. */
export class WorkQueue<Item> {
  readonly #parts: WorkQueueParts<Item>;
  readonly #ready = new Set<Item>();
  /** Those whose time has not come, with what cancels the wait. */
  readonly #waiting = new Map<Item, () => void>();
  readonly #running = new Map<Item, Promise<void>>();
  /** Those that came again while they were worked on. */
  readonly #again = new Map<Item, number>();
  readonly #failures = new Map<Item, number>();
  /** Failures since the last success, each of an item begun after the failure before. */
  #failuresInARow = 0;
  /** Whether what was begun last since something failed had not failed before. */
  #wasNew = false;
  #endPause: (() => void) | null = null;
  #isStopped = false;

  constructor(parts: WorkQueueParts<Item>) {
    this.#parts = parts;
  }

  has(item: Item): boolean {
    return this.#ready.has(item) || this.#waiting.has(item) || this.#running.has(item);
  }

  /** Work on `item` begins in `delay` milliseconds, or when it can. */
  add(item: Item, delay = 0): void {
    if (this.#isStopped) return;
    if (this.#running.has(item)) {
      this.#again.set(item, delay);
      return;
    }
    this.#failures.delete(item);
    this.#wait(item, delay);
  }

  /** Begins nothing any more. Resolves when nothing is worked on. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endPause?.();
    for (const cancel of this.#waiting.values()) cancel();
    this.#waiting.clear();
    this.#ready.clear();
    await Promise.all(this.#running.values());
  }

  #wait(item: Item, delay: number): void {
    this.#waiting.get(item)?.();
    this.#waiting.delete(item);
    if (delay > 0) {
      this.#ready.delete(item);
      const cancel = this.#parts.clock.after(delay, () => {
        this.#wait(item, 0);
      });
      this.#waiting.set(item, cancel);
      return;
    }
    this.#ready.add(item);
    this.#begin();
  }

  #begin(): void {
    if (this.#isStopped || this.#endPause !== null) return;
    const width = this.#failuresInARow > 0 ? 1 : this.#parts.width;
    while (this.#running.size < width) {
      const item = this.#next();
      if (item === undefined) return;
      this.#ready.delete(item);
      this.#running.set(item, this.#run(item, this.#failuresInARow));
    }
  }

  /** Of those that are ready. */
  #next(): Item | undefined {
    const [first] = this.#ready;
    if (first === undefined || this.#failuresInARow === 0) return first;
    const isNew = (item: Item): boolean => !this.#failures.has(item);
    let next: Item = first;
    for (const item of this.#ready) {
      if (isNew(item) === this.#wasNew) continue;
      next = item;
      break;
    }
    this.#wasNew = isNew(next);
    return next;
  }

  /** Never rejects. */
  async #run(item: Item, failuresBefore: number): Promise<void> {
    try {
      await this.#parts.work(item);
      this.#running.delete(item);
      this.#succeeded(item);
    } catch (error) {
      this.#running.delete(item);
      this.#failed(item, error, failuresBefore);
    }
  }

  /** The service is there: nothing waits for its time any more. */
  #hurry(): void {
    for (const [item, cancel] of this.#waiting) {
      cancel();
      this.#ready.add(item);
    }
    this.#waiting.clear();
    this.#begin();
  }

  #succeeded(item: Item): void {
    this.#failures.delete(item);
    // Then it was the only one worked on, and no pause has begun since.
    const wasAway = this.#failuresInARow > 1;
    this.#failuresInARow = 0;
    const again = this.#again.get(item);
    this.#again.delete(item);
    if (again !== undefined) this.add(item, again);
    if (wasAway) this.#hurry();
    else this.#begin();
  }

  #failed(item: Item, error: unknown, failuresBefore: number): void {
    if (this.#isStopped) return;
    this.#again.delete(item);
    const failures = (this.#failures.get(item) ?? 0) + 1;
    this.#failures.set(item, failures);
    this.#wait(item, this.#delay(error, failures));
    // Of those that were under way together only the first counts.
    if (failuresBefore !== this.#failuresInARow) return;
    this.#failuresInARow += 1;
    this.#endPause?.();
    this.#endPause = this.#parts.clock.after(this.#delay(error, this.#failuresInARow), () => {
      this.#endPause = null;
      this.#begin();
    });
  }

  #delay(error: unknown, failures: number): number {
    return retryDelay(error, failures, this.#parts.random());
  }
}
