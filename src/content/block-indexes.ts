/**
 * Which blocks of each version are held? Most files have one block, and tens of thousands of those may be: a set for each would be
 * a quarter of the memory that a block takes beside its bytes.
 */

export class BlockIndexes {
  readonly #one = new Map<number, number>();
  readonly #several = new Map<number, Set<number>>();

  /** Versions of which more than one block is held, or was since none was. */
  get sets(): number {
    return this.#several.size;
  }

  has(version: number, index: number): boolean {
    return this.#one.get(version) === index || this.#several.get(version)?.has(index) === true;
  }

  /** A copy: those of `version` may change meanwhile. */
  of(version: number): readonly number[] {
    const one = this.#one.get(version);
    return one === undefined ? [...(this.#several.get(version) ?? [])] : [one];
  }

  add(version: number, index: number): void {
    const one = this.#one.get(version);
    const several = this.#several.get(version);
    if (several !== undefined) several.add(index);
    else if (one === undefined) this.#one.set(version, index);
    else if (one !== index) {
      this.#one.delete(version);
      this.#several.set(version, new Set([one, index]));
    }
  }

  delete(version: number, index: number): void {
    if (this.#one.get(version) === index) this.#one.delete(version);
    const several = this.#several.get(version);
    several?.delete(index);
    if (several?.size === 0) this.#several.delete(version);
  }
}
