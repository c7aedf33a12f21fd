/** Memory of blocks that knows how often they are held. */
import { BlockMemory } from '../../src/base/block-memory.ts';

export class CountedMemory extends BlockMemory {
  readonly #holders = new Map<Uint8Array, number>();

  /** Of all blocks together. */
  get holders(): number {
    return [...this.#holders.values()].reduce((sum, count) => sum + count, 0);
  }

  override take(bytes: number): Uint8Array {
    const block = super.take(bytes);
    this.#holders.set(block, 1);
    return block;
  }

  override hold(block: Uint8Array): void {
    this.#count(block, 1);
    super.hold(block);
  }

  override letGo(block: Uint8Array): void {
    this.#count(block, -1);
    super.letGo(block);
  }

  #count(block: Uint8Array, more: number): void {
    const before = this.#holders.get(block) ?? 0;
    if (before === 0) throw new Error('nobody holds the block');
    this.#holders.set(block, before + more);
  }
}
