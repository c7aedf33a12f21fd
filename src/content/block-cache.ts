/**
 * Which bytes of which file versions are in memory? Blocks of one size, the least recently used dropped first.
 *
 * A version is named by a number that is never used twice in a process, so a block never has to be checked for age.
 */
import { LRUCache } from 'lru-cache';

/** Bytes: what the kernel asks for at once, and small enough that a random read wastes little. */
export const BLOCK_SIZE = 128 * 1024;

interface Address {
  readonly version: number;
  readonly index: number;
}

/** The blocks in memory, of all versions together never more bytes than `maxBytes`. */
export class BlockCache {
  /** Bytes of all blocks together. */
  readonly maxBytes: number;
  /** Bytes. */
  readonly blockSize: number;
  readonly #blocks: LRUCache<string, Uint8Array>;
  /** Which blocks of each version are held, to drop a version without a walk over all keys. */
  readonly #indexes = new Map<number, Set<number>>();

  constructor(maxBytes: number, blockSize: number = BLOCK_SIZE) {
    this.maxBytes = maxBytes;
    this.blockSize = blockSize;
    this.#blocks = new LRUCache<string, Uint8Array>({
      maxSize: maxBytes,
      sizeCalculation: (block) => block.length,
      dispose: (_block, key, reason) => {
        if (reason !== 'set') this.#forget(key);
      },
    });
  }

  /** Bytes held. */
  get used(): number {
    return this.#blocks.calculatedSize;
  }

  /** The block's bytes, not to be changed; counts as a use. */
  get(version: number, index: number): Uint8Array | undefined {
    return this.#blocks.get(keyOf(version, index));
  }

  /** Does not count as a use. */
  has(version: number, index: number): boolean {
    return this.#indexes.get(version)?.has(index) === true;
  }

  /** Keeps `block`, which nobody may change from now on. Empty blocks, and blocks larger than the cache, are not kept. */
  set(version: number, index: number, block: Uint8Array): void {
    if (block.length === 0 || block.length > this.maxBytes) return;
    this.#blocks.set(keyOf(version, index), block);
    const indexes = this.#indexes.get(version) ?? new Set();
    this.#indexes.set(version, indexes.add(index));
  }

  dropVersion(version: number): void {
    for (const index of [...(this.#indexes.get(version) ?? [])]) this.#blocks.delete(keyOf(version, index));
  }

  #forget(key: string): void {
    const { version, index } = addressOf(key);
    const indexes = this.#indexes.get(version);
    indexes?.delete(index);
    if (indexes?.size === 0) this.#indexes.delete(version);
  }
}

function keyOf(version: number, index: number): string {
  return `${version}/${index}`;
}

function addressOf(key: string): Address {
  const slash = key.indexOf('/');
  return { version: Number(key.slice(0, slash)), index: Number(key.slice(slash + 1)) };
}
