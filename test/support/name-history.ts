/** What was at a name, and since when? */

/** `missing`, `folder`, or `file` and its size, which tells one from another. */
export type StateOfName = 'missing' | 'folder' | `file ${number}`;

interface Change {
  readonly at: number;
  readonly state: StateOfName;
  /** By this mount. */
  readonly isOwn: boolean;
}

export class NameHistory {
  readonly #changes: Change[] = [{ at: Number.NEGATIVE_INFINITY, state: 'missing', isOwn: false }];

  get state(): StateOfName {
    return this.#changes.at(-1)?.state ?? 'missing';
  }

  set(change: Change): void {
    this.#changes.push(change);
  }

  /** What an answer may say at `now` of what was asked at `asked`, when answers may be so old, milliseconds. Own changes are seen at once. */
  statesFor(asked: number, now: number, age: number): ReadonlySet<StateOfName> {
    const own = this.#changes.findLastIndex(({ at, isOwn }) => isOwn && at <= asked);
    const counting = this.#changes.slice(Math.max(0, own));
    const states = counting.filter(
      ({ at }, index) => at <= now && (counting[index + 1]?.at ?? Number.POSITIVE_INFINITY) >= asked - age,
    );
    return new Set(states.map(({ state }) => state));
  }
}
