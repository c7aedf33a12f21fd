/** Several callers want the same answer at the same time: ask once, tell all. */
export class SingleFlight<Key, Answer> {
  readonly #flights = new Map<Key, Promise<Answer>>();

  /** The answer of the call under way for `key`, or of a new one. A rejection reaches all who wait; it is not remembered. */
  run(key: Key, ask: () => Promise<Answer>): Promise<Answer> {
    const underWay = this.#flights.get(key);
    if (underWay !== undefined) return underWay;
    const flight = ask().finally(() => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    });
    this.#flights.set(key, flight);
    return flight;
  }

  /** Callers from now on start a flight of their own: what is under way may predate a change. */
  forget(key: Key): void {
    this.#flights.delete(key);
  }
}
