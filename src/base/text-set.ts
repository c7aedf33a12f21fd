/** Is this one of a million short texts, and which? As a `Set` of strings, in a fifth of the memory and outside the heap. */
import { HashIndex } from './hash-index.ts';
import { hashOf, TextList } from './text-list.ts';

/** So few are found as quickly by a look at each; an index for each of many small sets would take more than their texts. */
const FEW = 16;

/** Texts, each numbered by the order in which it came. */
export class TextSet {
  /** By number; also those that were deleted. */
  readonly texts = new TextList();
  /** Null while there are few, and none was deleted. */
  #index: HashIndex | null = null;

  get size(): number {
    return this.#index?.size ?? this.texts.length;
  }

  /** The memory that it takes. */
  get bytes(): number {
    return this.texts.bytes + (this.#index?.bytes ?? 0);
  }

  has(text: string): boolean {
    return this.numberOf(text) !== undefined;
  }

  numberOf(text: string): number | undefined {
    if (this.size === 0) return undefined;
    const isIt = (number: number): boolean => this.texts.isAt(number, text);
    if (this.#index !== null) return this.#index.find(hashOf(text), isIt);
    for (let number = 0; number < this.texts.length; number += 1) if (isIt(number)) return number;
    return undefined;
  }

  /** The number of a text that is not here. */
  add(text: string): number {
    const number = this.texts.add(text);
    if (this.#index !== null) this.#index.add(number);
    else if (this.texts.length > FEW) this.#index = this.#indexOfAll();
    return number;
  }

  /** It gets another number when it comes back. */
  delete(number: number): void {
    (this.#index ??= this.#indexOfAll()).remove(number);
  }

  #indexOfAll(): HashIndex {
    const index = new HashIndex((number) => this.texts.hashAt(number));
    for (let number = 0; number < this.texts.length; number += 1) index.add(number);
    return index;
  }
}
