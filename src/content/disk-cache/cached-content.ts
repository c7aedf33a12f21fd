/** What does the disk cache have of one content, by the numbers of its blocks? */
import type { GroupFile } from './group-file.ts';
import { BLOCKS_PER_GROUP } from './group-format.ts';
import type { InMemory } from './waiting-blocks.ts';

/** Whole blocks from `first` on, and where their file is stored, for the log. */
export interface BlocksOfKey {
  readonly key: string;
  readonly first: number;
  readonly into: Uint8Array;
}

/** All groups of a cache; `DiskCache` is it. */
export interface BlockGroups {
  opened(hash: string, group: number): Pick<GroupFile, 'has'> | undefined;
  open(hash: string, group: number): Promise<void>;
  read(hash: string, group: number, blocks: BlocksOfKey): Promise<boolean>;
  keep(
    hash: string,
    group: number,
    block: { readonly index: number; readonly data: Uint8Array; readonly inMemory?: InMemory },
  ): boolean;
  /** Resolves with true when `keep` has room for so many bytes, with false when it takes nothing now. */
  whenRoom(bytes: number): Promise<boolean>;
  takesWhole(bytes: number): boolean;
}

/** One content's blocks on the local disk. Nothing here rejects: what cannot be read is not there. */
export class CachedContent {
  readonly #cache: BlockGroups;
  readonly #hash: string;
  readonly #key: string;

  /** Made by `DiskCache.content` alone. */
  constructor(cache: BlockGroups, hash: string, key: string) {
    this.#cache = cache;
    this.#hash = hash;
    this.#key = key;
  }

  /** Whether `has` knows all blocks from `first` to `last`, both included. */
  isKnown(first: number, last: number): boolean {
    for (let group = groupOf(first); group <= groupOf(last); group += 1) {
      if (this.#cache.opened(this.#hash, group) === undefined) return false;
    }
    return true;
  }

  /** Resolves when `has` knows them. */
  async look(first: number, last: number): Promise<void> {
    const looks: Promise<void>[] = [];
    for (let group = groupOf(first); group <= groupOf(last); group += 1) {
      if (this.#cache.opened(this.#hash, group) === undefined)
        looks.push(this.#cache.open(this.#hash, group));
    }
    await Promise.all(looks);
  }

  /** Whether the block is there; also false when nobody has looked. */
  has(index: number): boolean {
    return this.#cache.opened(this.#hash, groupOf(index))?.has(index % BLOCKS_PER_GROUP) === true;
  }

  /**
   * Fills `into` with whole blocks from `first` on, all in one group. False when it could not: what was damaged is not there any
   * more, and `into` holds anything.
   */
  read(first: number, into: Uint8Array): Promise<boolean> {
    const blocks = { key: this.#key, first: first % BLOCKS_PER_GROUP, into };
    return this.#cache.read(this.#hash, groupOf(first), blocks);
  }

  /** Keeps a block, which nobody may change from now on, if there is time and room, now or as long as it is `inMemory`. */
  keep(index: number, block: Uint8Array, inMemory: InMemory): void {
    this.#cache.keep(this.#hash, groupOf(index), { index: index % BLOCKS_PER_GROUP, data: block, inMemory });
  }

  /** As `keep`, but waits until there is time. False: nothing is kept now. */
  async keepInTime(index: number, block: Uint8Array): Promise<boolean> {
    const place = { index: index % BLOCKS_PER_GROUP, data: block };
    // Others who were woken by the same room may have taken it.
    while (await this.#cache.whenRoom(block.length))
      if (this.#cache.keep(this.#hash, groupOf(index), place)) return true;
    return false;
  }

  /** Whether a content of so many bytes would leave enough room for others. */
  takesWhole(bytes: number): boolean {
    return this.#cache.takesWhole(bytes);
  }
}

function groupOf(index: number): number {
  return Math.floor(index / BLOCKS_PER_GROUP);
}
