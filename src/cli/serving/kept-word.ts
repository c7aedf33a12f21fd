/**
 * How do the commands go on finding a mount that outlives the place where it has left word of itself? A session directory goes with the last
 * session of its user, and who tidies /tmp takes what is old; the mount stays.
 */
import type { Clock } from '../../base/clock.ts';

/** Between two looks, milliseconds: soon enough for who has logged in again. */
const LOOK_EVERY_MS = 10_000;

/** Something that was left, and is left anew when it is gone. */
export interface Left {
  /** Never rejects. */
  keep(): Promise<void>;
}

export class KeptWord {
  readonly #left: readonly Left[];
  readonly #clock: Pick<Clock, 'after'>;
  #look: Promise<void> = Promise.resolve();
  #cancel: () => void = () => undefined;
  #isOver = false;

  constructor(left: readonly Left[], clock: Pick<Clock, 'after'>) {
    this.#left = left;
    this.#clock = clock;
  }

  begin(): void {
    if (this.#isOver) return;
    this.#cancel = this.#clock.after(LOOK_EVERY_MS, () => {
      this.#look = this.#keepAll().then(() => {
        this.begin();
      });
    });
  }

  /** What is taken away from then on stays away. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#cancel();
    await this.#look;
  }

  async #keepAll(): Promise<void> {
    for (const one of this.#left) await one.keep();
  }
}
