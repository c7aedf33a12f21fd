/** A program that reads files through a disk cache which others use, too: it knows what each block must be. */
import { setTimeout as pause } from 'node:timers/promises';
import { BlockMemory } from '../../src/base/block-memory.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Log } from '../../src/base/log.ts';
import { DiskCache } from '../../src/content/disk-cache/disk-cache.ts';
import type { ContentName } from '../../src/content/disk-cache/group-format.ts';
import { Chance } from '../crash/chance.ts';

export interface CacheUse {
  readonly directory: string;
  readonly seed: number;
  readonly log: Log;
}

export interface CacheTally {
  /** Blocks that were there. */
  read: number;
  /** Blocks that were not, or were damaged, and were given to the cache. */
  kept: number;
  /** Blocks that were there, and were not what they must be; a line each. */
  readonly wrong: string[];
}

const BLOCK = 4096;
const BLOCKS_PER_FILE = 96;
const FILES = 10;
/** Of what all files take, so that everybody who keeps a block soon makes away with others. */
export const LIMIT = (FILES * BLOCKS_PER_FILE * BLOCK) / 3;
const MOST_AT_ONCE = 12;

export class CacheUser {
  readonly tally: CacheTally = { read: 0, kept: 0, wrong: [] };
  readonly #cache: DiskCache;
  readonly #chance: Chance;

  constructor({ directory, seed, log }: CacheUse) {
    const memory = new BlockMemory(BLOCK);
    const mostWaiting = MOST_AT_ONCE * BLOCK;
    this.#cache = new DiskCache({ directory, limit: LIMIT, memory, mostWaiting, clock: systemClock, log });
    this.#chance = new Chance(seed);
    this.#cache.start();
  }

  /** Reads some neighbouring blocks of a file, and keeps those that are not there. */
  async readSome(): Promise<void> {
    const file = this.#chance.between(0, FILES - 1);
    const first = this.#chance.between(0, BLOCKS_PER_FILE - 1);
    const last = Math.min(BLOCKS_PER_FILE - 1, first + this.#chance.between(0, MOST_AT_ONCE - 1));
    const content = this.#cache.content(nameOf(file));
    await content.look(first, last);
    for (let index = first; index <= last; index += 1) {
      const block = blockOf(file, index);
      const into = Buffer.alloc(BLOCK);
      if (content.has(index) && (await content.read(index, into))) {
        this.tally.read += 1;
        if (!into.equals(block)) this.tally.wrong.push(`block ${index} of file ${file}`);
      } else if (await content.keepInTime(index, block)) this.tally.kept += 1;
    }
    // What was only begun gets its turn.
    await pause(0);
  }

  /** What waits is written first. */
  async close(): Promise<void> {
    await this.#cache.close();
  }
}

function nameOf(file: number): ContentName {
  const size = BLOCKS_PER_FILE * BLOCK;
  return { service: 'https://storage.example.com', bucket: 'b', key: `file ${file}`, etag: 'e', size };
}

/** No two blocks are equal, nor is any part of one at its place in another. */
function blockOf(file: number, index: number): Buffer {
  return Buffer.alloc(BLOCK, `${file} of ${index};`);
}
