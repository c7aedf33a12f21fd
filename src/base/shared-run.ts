/** Many callers want the same thing done from now on, such as a sync of one directory: how does one doing serve them all? */

/** Runs `action` one at a time; callers who come while one runs share the next. */
export class SharedRun {
  readonly #action: () => Promise<void>;
  #current: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(action: () => Promise<void>) {
    this.#action = action;
  }

  /** Resolves when a run that began after this call has ended. Rejects as that run does. */
  run(): Promise<void> {
    // Who asked for the run before has heard how it ended.
    this.#next ??= this.#current
      .catch(() => undefined)
      .then(() => {
        const next = this.#next ?? Promise.resolve();
        this.#current = next;
        this.#next = null;
        return this.#action();
      });
    return this.#next;
  }
}
