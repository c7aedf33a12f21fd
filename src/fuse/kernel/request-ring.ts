/**
 * How do requests get from the thread that waits at the device to the one that answers? Through a ring of slots in shared
 * memory: the waiting thread fills one after the other, the answering one frees them in the same order.
 */

/** The kernel wants room for its largest write and the structures before it. */
const SLOT_BYTES = 1024 * 1024 + 4096;
const SLOTS = 8;

/** Places in the control words. Both counts wrap around; only their difference means anything. */
const PUBLISHED = 0;
const FREED = 1;
/** The errno of the device's last answer. */
const ENDED = 2;
const LENGTHS = 3;
const CONTROL_BYTES = (LENGTHS + SLOTS) * Int32Array.BYTES_PER_ELEMENT;

/** Memory for one ring, to be handed to both sides. */
export function allocateRing(): SharedArrayBuffer {
  return new SharedArrayBuffer(CONTROL_BYTES + SLOTS * SLOT_BYTES);
}

/** The side of the thread that waits at the device. It may block. */
export class RingWriter {
  readonly #control: Int32Array;
  readonly #memory: SharedArrayBuffer;

  constructor(memory: SharedArrayBuffer) {
    this.#memory = memory;
    this.#control = new Int32Array(memory, 0, LENGTHS + SLOTS);
  }

  /** Waits until a slot is free; its bytes. */
  claim(): Uint8Array {
    for (;;) {
      const freed = Atomics.load(this.#control, FREED);
      const published = Atomics.load(this.#control, PUBLISHED);
      if (((published - freed) | 0) < SLOTS) return slotOf(this.#memory, published);
      Atomics.wait(this.#control, FREED, freed);
    }
  }

  /** The claimed slot holds a request of `length` bytes. */
  publish(length: number): void {
    const published = Atomics.load(this.#control, PUBLISHED);
    Atomics.store(this.#control, LENGTHS + slotIndex(published), length);
    Atomics.add(this.#control, PUBLISHED, 1);
    Atomics.notify(this.#control, PUBLISHED);
  }

  /** No request follows: a slot without bytes says so. */
  end(errno: number): void {
    this.claim();
    Atomics.store(this.#control, ENDED, errno);
    this.publish(0);
  }
}

/** The side of the thread that answers. It blocks only when told to. */
export class RingReader {
  readonly #control: Int32Array;
  readonly #memory: SharedArrayBuffer;

  #taken = 0;
  #ended: number | undefined;

  constructor(memory: SharedArrayBuffer) {
    this.#memory = memory;
    this.#control = new Int32Array(memory, 0, LENGTHS + SLOTS);
  }

  /** Calls `use` with the next request, whose bytes are valid only during the call. False when there is none. */
  take(use: (request: Buffer) => void): boolean {
    if (this.#ended !== undefined || Atomics.load(this.#control, PUBLISHED) === this.#taken) return false;
    const slot = slotOf(this.#memory, this.#taken);
    const length = Atomics.load(this.#control, LENGTHS + slotIndex(this.#taken));
    if (length === 0) {
      this.#ended = Atomics.load(this.#control, ENDED);
      return false;
    }
    use(Buffer.from(slot.buffer, slot.byteOffset, length));
    this.#taken = (this.#taken + 1) | 0;
    Atomics.add(this.#control, FREED, 1);
    Atomics.notify(this.#control, FREED);
    return true;
  }

  /** Why the device ended, once all requests are taken. */
  get ended(): number | undefined {
    return this.#ended;
  }

  /** Returns once something is there to take, or after `milliseconds`; the thread does nothing else meanwhile. */
  waitBriefly(milliseconds: number): void {
    if (this.#ended === undefined) Atomics.wait(this.#control, PUBLISHED, this.#taken, milliseconds);
  }

  /** Calls `wake` once something is there to take, maybe spuriously. Takes no processor time until then. */
  sleep(wake: () => void): void {
    const change = Atomics.waitAsync(this.#control, PUBLISHED, this.#taken);
    if (change.async) void change.value.then(wake);
    else setImmediate(wake);
  }
}

const slotIndex = (count: number): number => (count >>> 0) % SLOTS;

function slotOf(memory: SharedArrayBuffer, count: number): Uint8Array {
  return new Uint8Array(memory, CONTROL_BYTES + slotIndex(count) * SLOT_BYTES, SLOT_BYTES);
}
