/**
 * How is one woken at a moment, to a tenth of a millisecond? An event loop's timers are late by one or two, which at 1 ms of
 * latency is everything. So a thread sleeps instead, and rings.
 */
import { Worker } from 'node:worker_threads';

/** Nanoseconds of the clock that all threads share. */
export const nanoseconds = (): bigint => process.hrtime.bigint();

/** What the two threads share. */
export interface AlarmMemory {
  /** Changed whenever the moment is. */
  readonly word: Int32Array;
  /** Nanoseconds; `NEVER` when nobody waits. */
  readonly moment: BigInt64Array;
}

export const NEVER = 2n ** 62n;

const LOADER = new URL('../../test/support/typescript-loader.mjs', import.meta.url);

/** One moment to wait for at a time. To be closed. */
export class Alarm {
  readonly #memory: AlarmMemory;
  readonly #thread: Worker;
  #next = NEVER;

  /** `ring` is called soon after each moment that was asked for. */
  constructor(ring: () => void) {
    this.#memory = {
      word: new Int32Array(new SharedArrayBuffer(4)),
      moment: new BigInt64Array(new SharedArrayBuffer(8)).fill(NEVER),
    };
    this.#thread = new Worker(new URL('./alarm-thread.ts', import.meta.url), {
      workerData: this.#memory,
      execArgv: ['--import', LOADER.href],
    });
    this.#thread.on('message', () => {
      this.#next = NEVER;
      ring();
    });
  }

  /** An earlier moment that was asked for stays. */
  wakeAt(moment: bigint): void {
    if (moment >= this.#next) return;
    this.#next = moment;
    Atomics.store(this.#memory.moment, 0, moment);
    Atomics.add(this.#memory.word, 0, 1);
    Atomics.notify(this.#memory.word, 0);
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}
