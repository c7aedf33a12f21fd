/**
 * What did the service hold, and since when? Of every name, all its states in order: what a program may see is one that was
 * true less than the TTL ago, and not older than what this mount did to the name or has shown of it since.
 */

/** `missing`, `folder`, `file:` and its content; or a visibility. */
export type State = string;

interface Period {
  readonly state: State;
  /** Milliseconds of the test's clock. */
  readonly from: number;
}

interface NameHistory {
  readonly periods: Period[];
  /** Index of the oldest period that may still be seen. */
  oldest: number;
}

export class TreeHistory {
  readonly #ttl: number;
  readonly #names = new Map<string, NameHistory>();

  constructor(ttl: number) {
    this.#ttl = ttl;
  }

  now(name: string): State {
    return this.#of(name).periods.at(-1)?.state ?? 'missing';
  }

  /** From `now` on `name` is in `state`. */
  record(name: string, state: State, now: number): void {
    if (this.now(name) !== state) this.#of(name).periods.push({ state, from: now });
  }

  /** What a program may be shown of `name`. */
  allowed(name: string, now: number): Set<State> {
    const { periods, oldest } = this.#of(name);
    const states = periods.filter((_, index) => {
      const end = periods[index + 1]?.from ?? Infinity;
      return index >= oldest && end > now - this.#ttl;
    });
    return new Set(states.map(({ state }) => state));
  }

  /** This mount changed `name`: only what is so now, or comes later, may be seen. */
  ownChange(name: string): void {
    const known = this.#of(name);
    known.oldest = known.periods.length - 1;
  }

  /** A program was shown `state`: nothing older may be seen from now on. */
  shown(name: string, state: State, now: number): void {
    const known = this.#of(name);
    const first = known.periods.findIndex((period, index) => {
      const end = known.periods[index + 1]?.from ?? Infinity;
      return index >= known.oldest && period.state === state && end > now - this.#ttl;
    });
    if (first > known.oldest) known.oldest = first;
  }

  #of(name: string): NameHistory {
    const known = this.#names.get(name) ?? { periods: [{ state: 'missing', from: -Infinity }], oldest: 0 };
    this.#names.set(name, known);
    return known;
  }
}
