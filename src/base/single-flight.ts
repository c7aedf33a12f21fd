/** Several callers want the same answer at the same time: ask once, tell all, and stop asking when all have left. */
import type { Clock } from './clock.ts';
import { checkWaiting, RETURN_TIME, STAYING, unlessLeaving, type Waiter } from './waiter.ts';

interface Flight<Answer> {
  readonly answer: Promise<Answer>;
  readonly abort: AbortController;
  waiters: number;
  ended: boolean;
  /** The end that was planned when nobody waited does not come. */
  keep: () => void;
}

export class SingleFlight<Key, Answer> {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #flights = new Map<Key, Flight<Answer>>();

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /**
   * The answer of the call under way for `key`, or of a new one. A rejection reaches all who wait; it is not remembered.
   * Rejects with `Interrupted` when `waiter` leaves. The signal that `ask` is given is aborted a while after the last one left.
   */
  async run(
    key: Key,
    ask: (signal: AbortSignal) => Promise<Answer>,
    waiter: Waiter = STAYING,
  ): Promise<Answer> {
    checkWaiting(waiter);
    const flight = this.#flights.get(key) ?? this.#begin(key, ask);
    flight.keep();
    flight.waiters += 1;
    try {
      return await unlessLeaving(waiter, flight.answer);
    } finally {
      flight.waiters -= 1;
      if (flight.waiters === 0 && !flight.ended) this.#giveUpLater(key, flight);
    }
  }

  /** Callers from now on start a flight of their own: what is under way may predate a change. */
  forget(key: Key): void {
    this.#flights.delete(key);
  }

  /** As `forget`, for every key that is meant. */
  forgetAll(isMeant: (key: Key) => boolean): void {
    for (const key of this.#flights.keys()) if (isMeant(key)) this.#flights.delete(key);
  }

  #begin(key: Key, ask: (signal: AbortSignal) => Promise<Answer>): Flight<Answer> {
    const abort = new AbortController();
    const answer = ask(abort.signal).finally(() => {
      flight.ended = true;
      flight.keep();
      this.#remove(key, flight);
    });
    const flight: Flight<Answer> = { answer, abort, waiters: 0, ended: false, keep: () => undefined };
    this.#flights.set(key, flight);
    return flight;
  }

  #giveUpLater(key: Key, flight: Flight<Answer>): void {
    flight.keep = this.#clock.after(RETURN_TIME, () => {
      this.#remove(key, flight);
      flight.abort.abort();
    });
  }

  #remove(key: Key, flight: Flight<Answer>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}
