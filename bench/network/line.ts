/** When do bytes that are sent now arrive? Arithmetic only; nanoseconds. */

/** What a line does to bytes. */
export interface Pace {
  /** From the end of sending to arrival, milliseconds. */
  readonly latencyMs: number;
  /** Null: as fast as it goes. */
  readonly bytesPerSecond: number | null;
}

/** One direction of one connection: bytes leave one after the other and are all late by the same. */
export class Line {
  readonly #pace: Pace;
  #free = 0n;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** When bytes handed over at `now` have arrived. */
  send(length: number, now: bigint): bigint {
    const { latencyMs, bytesPerSecond } = this.#pace;
    const begins = this.#free > now ? this.#free : now;
    const takes = bytesPerSecond === null ? 0 : (length / bytesPerSecond) * 1e9;
    this.#free = begins + BigInt(Math.round(takes));
    return this.#free + BigInt(Math.round(latencyMs * 1e6));
  }

  /** How much longer it has to send what it was handed. */
  busyFor(now: bigint): bigint {
    return this.#free > now ? this.#free - now : 0n;
  }
}
