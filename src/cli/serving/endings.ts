/** Why does a mount end? Signals, the kernel letting go, a caller who lost interest, or a fault of ours: the first one counts. */
import type { Log } from '../../base/log.ts';

export type Ending =
  | { readonly kind: 'signal'; readonly name: NodeJS.Signals }
  | { readonly kind: 'unmounted' }
  /** Who started us ended before we were ready. */
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'fault'; readonly error: unknown };

const ENDING_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export class Endings {
  readonly #log: Log;
  readonly #first: Promise<Ending>;
  readonly #abort = new AbortController();
  readonly #impatience = new AbortController();
  #tellFirst: (ending: Ending) => void = () => undefined;

  constructor(log: Log) {
    this.#log = log;
    this.#first = new Promise((resolve) => {
      this.#tellFirst = resolve;
    });
  }

  /** Resolves at the first reason to end. */
  get first(): Promise<Ending> {
    return this.#first;
  }

  /** Aborted at the first reason to end: for what is not worth finishing. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Aborted when a signal asks for the end that has begun already: patience is over. */
  get impatience(): AbortSignal {
    return this.#impatience.signal;
  }

  /** Listens to the process's signals and faults until it ends. */
  listen(): void {
    for (const name of ENDING_SIGNALS) {
      process.on(name, () => {
        if (this.#abort.signal.aborted) this.#hurry(name);
        this.end({ kind: 'signal', name });
      });
    }
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error: unknown) => {
        this.#log.error('An error of pailfs itself', { error });
        this.end({ kind: 'fault', error });
      });
    }
  }

  end(ending: Ending): void {
    this.#tellFirst(ending);
    this.#abort.abort();
  }

  #hurry(name: NodeJS.Signals): void {
    if (!this.#impatience.signal.aborted) {
      this.#log.warn('Asked to end at once: what is not stored yet is left to the next mount', { name });
    }
    this.#impatience.abort();
  }
}
