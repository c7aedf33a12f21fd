/** Who reads, changes and writes the same things, and waits in between: how does nobody write over what another has written meanwhile? */

/** One at a time for each thing, in the order of the calls. */
export class Turns<Thing extends WeakKey> {
  /** When the last turn of each that was asked for has ended. */
  readonly #last = new WeakMap<Thing, Promise<unknown>>();

  /**
   * Runs `act` when all earlier turns of `things` have ended, and settles as it does. It asks for no turn of its own: that would
   * wait for itself.
   */
  take<Result>(things: Iterable<Thing>, act: () => Promise<Result>): Promise<Result> {
    const mine = [...things];
    const earlier = mine.flatMap((thing) => this.#last.get(thing) ?? []);
    const turn = Promise.all(earlier).then(act);
    const ended = turn.catch(() => undefined);
    for (const thing of mine) this.#last.set(thing, ended);
    return turn;
  }
}
