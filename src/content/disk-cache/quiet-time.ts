/**
 * When is it time to write blocks to the disk cache? When nobody has read others for a moment.
 *
 * A new file costs the disk and the processor more than the bytes in it, and a program that reads a thousand of them (`grep -r`) would
 * wait for each; as would one that has the first bytes of a file, and goes on.
 */
import type { Clock } from '../../base/clock.ts';

/** Milliseconds. Longer than a program takes from one file to the next. */
const MOMENT_MS = 100;

/** Tells once after each burst. */
export class QuietTime {
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly #hasCome: () => void;
  #lastRead = -Infinity;
  #cancel: (() => void) | null = null;

  /** `hasCome` is called when it is quiet after a `wasRead`. */
  constructor(clock: Pick<Clock, 'monotonic' | 'after'>, hasCome: () => void) {
    this.#clock = clock;
    this.#hasCome = hasCome;
  }

  /** Whether it is quiet now. */
  get isNow(): boolean {
    return this.#left <= 0;
  }

  /** Some were read. */
  wasRead(): void {
    this.#lastRead = this.#clock.monotonic();
    this.#cancel ??= this.#clock.after(MOMENT_MS, this.#look);
  }

  /** Nobody is told any more. */
  end(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#lastRead = -Infinity;
  }

  get #left(): number {
    return this.#lastRead + MOMENT_MS - this.#clock.monotonic();
  }

  readonly #look = (): void => {
    // One timer for a burst, not one for each file.
    const left = this.#left;
    this.#cancel = left > 0 ? this.#clock.after(left, this.#look) : null;
    if (left <= 0) this.#hasCome();
  };
}
