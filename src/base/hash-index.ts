/**
 * Which number does a thing have among a million? An open hash table of numbers, outside the heap. It does not know the things: whoever looks
 * gives the hash of what is looked for, and says of each number with that hash whether it is the one.
 */

const SMALLEST = 16;
/** Numbers are written down as one more. */
const EMPTY = 0;
const GONE = 0xffffffff;

/** Numbers below 2 ** 32 - 2, each once. */
export class HashIndex {
  /** Any integer; the same as long as the number is here. */
  readonly #hashOf: (number: number) => number;
  #slots = new Uint32Array();
  #size = 0;
  /** Slots that are not empty. */
  #used = 0;

  constructor(hashOf: (number: number) => number) {
    this.#hashOf = hashOf;
  }

  get size(): number {
    return this.#size;
  }

  /** The memory that it takes. */
  get bytes(): number {
    return this.#slots.byteLength;
  }

  /** The number with this hash that `isIt`. */
  find(hash: number, isIt: (number: number) => boolean): number | undefined {
    if (this.#size === 0) return undefined;
    const mask = this.#slots.length - 1;
    for (let at = mixed(hash) & mask; ; at = (at + 1) & mask) {
      const slot = this.#slots[at] ?? EMPTY;
      if (slot === EMPTY) return undefined;
      if (slot !== GONE && isIt(slot - 1)) return slot - 1;
    }
  }

  /** One that is not here. */
  add(number: number): void {
    if (2 * (this.#used + 1) > this.#slots.length) this.#resize();
    const at = this.#slotFor(number);
    if (this.#slots[at] === EMPTY) this.#used += 1;
    this.#slots[at] = number + 1;
    this.#size += 1;
  }

  /** One that is here. */
  remove(number: number): void {
    const mask = this.#slots.length - 1;
    let at = mixed(this.#hashOf(number)) & mask;
    while (this.#slots[at] !== number + 1) {
      if (this.#slots[at] === EMPTY) throw new Error(`the number ${number} is not in the index`);
      at = (at + 1) & mask;
    }
    this.#slots[at] = GONE;
    this.#size -= 1;
    if (this.#slots.length > SMALLEST && 16 * this.#size < this.#slots.length) this.#resize();
  }

  /** So that a quarter of the slots is used, at most half. */
  #resize(): void {
    const slots = this.#slots;
    this.#slots = new Uint32Array(Math.max(SMALLEST, 2 ** Math.ceil(Math.log2(3 * (this.#size + 1)))));
    this.#used = this.#size;
    for (const slot of slots)
      if (slot !== EMPTY && slot !== GONE) this.#slots[this.#slotFor(slot - 1)] = slot;
  }

  /** Also one that is free again: what comes and goes by one hash must not leave a run of slots to be walked through. */
  #slotFor(number: number): number {
    const mask = this.#slots.length - 1;
    let at = mixed(this.#hashOf(number)) & mask;
    while (this.#slots[at] !== EMPTY && this.#slots[at] !== GONE) at = (at + 1) & mask;
    return at;
  }
}

/** Numbers that follow each other shall not fill a run of slots (murmur3's last step). */
function mixed(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
