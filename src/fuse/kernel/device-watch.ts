/** How does the thread that serves a device sleep, and who wakes it? Words in memory that it shares with the one that watches. */

/** Whose turn it is. */
const TURN = 0;
const SERVES = 0;
const WATCHES = 1;
const OVER = 2;

/** Memory for one device, to be handed to both sides. */
export function allocateWatch(): SharedArrayBuffer {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
}

/** The side of the thread that watches. It may block. */
export class Watcher {
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
  }

  /** Waits until the other side sleeps. False when there is nothing to watch any more. */
  waitForTurn(): boolean {
    Atomics.wait(this.#words, TURN, SERVES);
    return Atomics.load(this.#words, TURN) === WATCHES;
  }

  /** There is something to serve. */
  wake(): void {
    Atomics.compareExchange(this.#words, TURN, WATCHES, SERVES);
    Atomics.notify(this.#words, TURN);
  }
}

/** The side of the thread that serves. It never blocks. */
export class Sleeper {
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
  }

  /** Calls `wake` once the watcher has seen something. Takes no processor time until then. */
  sleep(wake: () => void): void {
    Atomics.store(this.#words, TURN, WATCHES);
    Atomics.notify(this.#words, TURN);
    const change = Atomics.waitAsync(this.#words, TURN, WATCHES);
    if (change.async) void change.value.then(wake);
    else setImmediate(wake);
  }

  /** Lets the watcher go. */
  end(): void {
    Atomics.store(this.#words, TURN, OVER);
    Atomics.notify(this.#words, TURN);
  }
}
