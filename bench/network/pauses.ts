/**
 * How long is a line idle between an answer and the next request? That is what a mount adds to the time that its requests take,
 * and unlike seconds it does not grow with what the network and the store cost.
 */
import { nanoseconds } from './alarm.ts';

const NANOSECONDS_PER_MS = 1e6;

/** The requests of one link, whatever their connections: it pauses while none of them waits for an answer. */
export class Pauses {
  readonly #waiting = new Set<object>();
  #milliseconds: number[] = [];
  /** Since the last answer; undefined before the first one. */
  #idleSince: bigint | undefined;

  /** Bytes of a request came over `connection`. */
  asked(connection: object): void {
    if (this.#waiting.size === 0 && this.#idleSince !== undefined) {
      this.#milliseconds.push(Number(nanoseconds() - this.#idleSince) / NANOSECONDS_PER_MS);
    }
    this.#waiting.add(connection);
  }

  /** Bytes of an answer went out over `connection`. */
  answered(connection: object): void {
    this.#waiting.delete(connection);
    if (this.#waiting.size === 0) this.#idleSince = nanoseconds();
  }

  /** No more will come over `connection`. */
  closed(connection: object): void {
    this.#waiting.delete(connection);
  }

  /** Since the last call, or since the start. */
  take(): readonly number[] {
    const taken = this.#milliseconds;
    this.#milliseconds = [];
    this.#idleSince = undefined;
    return taken;
  }
}
