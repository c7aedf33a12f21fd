/** Is this one of a million short texts, and which? As a `Set` of strings, in a fifth of the memory and outside the heap. */
import { HashIndex } from './hash-index.ts';
import { hashOf, TextList } from './text-list.ts';

/** Texts, each numbered by the order in which it came. */
export class TextSet {
  /** By number; also those that were deleted. */
  readonly texts = new TextList();
  readonly #index = new HashIndex((number) => this.texts.hashAt(number));

  get size(): number {
    return this.#index.size;
  }

  /** The memory that it takes. */
  get bytes(): number {
    return this.texts.bytes + this.#index.bytes;
  }

  has(text: string): boolean {
    return this.numberOf(text) !== undefined;
  }

  numberOf(text: string): number | undefined {
    if (this.size === 0) return undefined;
    return this.#index.find(hashOf(text), (number) => this.texts.isAt(number, text));
  }

  /** The number of a text that is not here. */
  add(text: string): number {
    const number = this.texts.add(text);
    this.#index.add(number);
    return number;
  }

  /** It gets another number when it comes back. */
  delete(number: number): void {
    this.#index.remove(number);
  }
}
