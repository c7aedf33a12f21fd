/** Where a test reads into that can do with bytes lent, as the kernel driver can. */
import type { HeldBytes, ReadInto } from '../../src/base/read-into.ts';

export class LendingRoom implements ReadInto {
  readonly length: number;
  /** Where what was lent begins and ends, as it came. */
  readonly lent: { readonly start: number; readonly end: number }[] = [];
  /** Bytes for which there had to be room. */
  copied = 0;
  readonly #room: Uint8Array;
  #held: (HeldBytes & { readonly start: number })[] = [];

  constructor(length: number) {
    this.length = length;
    this.#room = new Uint8Array(length);
  }

  subarray(start: number, end: number): Uint8Array {
    this.copied += end - start;
    return this.#room.subarray(start, end);
  }

  lend(start: number, held: HeldBytes): void {
    this.lent.push({ start, end: start + held.bytes.length });
    this.#held.push({ ...held, start });
  }

  /** The first `count`, as they are now. */
  bytes(count = this.length): Uint8Array {
    const all = this.#room.slice();
    for (const { start, bytes } of this.#held) all.set(bytes, start);
    return all.subarray(0, count);
  }

  /** Gives back what was lent. */
  free(): void {
    for (const { free } of this.#held) free();
    this.#held = [];
  }
}
