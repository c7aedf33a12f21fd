/** How does a command that changes many things end at Ctrl-C? After what it has begun, and with a word about how far it came. */

const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * `action` gets a signal that the first of these aborts. When it has ended, the process ends by the same, so that a script around it
 * ends, too. A second one ends it at once. Rejects as `action` does.
 */
export async function whileInterruptible<Result>(
  action: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const interruption = new AbortController();
  let by: NodeJS.Signals | undefined;
  const letGo = (): void => {
    for (const name of ENDING_SIGNALS) process.off(name, stop);
  };
  const stop = (name: NodeJS.Signals): void => {
    by = name;
    letGo();
    interruption.abort();
  };
  for (const name of ENDING_SIGNALS) process.on(name, stop);
  try {
    return await action(interruption.signal);
  } finally {
    letGo();
    if (by !== undefined) process.kill(process.pid, by);
  }
}

/** What must not end in its middle: the first of these signals then ends the process after it, a second one at once. */
export class Uninterrupted {
  readonly #note = (name: NodeJS.Signals): void => {
    this.#by = name;
    this.#letGo();
  };
  #by: NodeJS.Signals | undefined;
  #hasBegun = false;

  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    for (const name of ENDING_SIGNALS) process.on(name, this.#note);
  }

  /** Does not return where a signal came. */
  end(): void {
    this.#letGo();
    if (this.#by !== undefined) process.kill(process.pid, this.#by);
  }

  #letGo(): void {
    for (const name of ENDING_SIGNALS) process.off(name, this.#note);
  }
}
