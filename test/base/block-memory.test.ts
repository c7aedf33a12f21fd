import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { alignedMemory, areWholePages } from '../../src/base/aligned-memory.ts';
import { BlockCache } from '../../src/content/block-cache.ts';
import { BlockMemory } from '../../src/base/block-memory.ts';
import { ManualClock } from '../support/manual-clock.ts';

const SIZE = 10;

/** A block that somebody filled with `value`. */
function filled(memory: BlockMemory, value: number): Uint8Array {
  return memory.take(SIZE).fill(value);
}

describe('the memory of blocks', () => {
  it('is used again when the last who held a block lets go of it', () => {
    const memory = new BlockMemory(SIZE);
    const block = memory.take(SIZE);
    memory.hold(block);

    memory.letGo(block);
    const other = memory.take(SIZE);
    memory.letGo(block);

    expect(other).not.toBe(block);
    expect(memory.take(SIZE)).toBe(block);
  });

  it('is not used again for one that is shorter than the others, or that came from elsewhere', () => {
    const memory = new BlockMemory(SIZE);

    memory.letGo(memory.take(SIZE - 1));
    memory.letGo(new Uint8Array(SIZE));

    expect(memory.free).toBe(0);
  });

  it('counts no block twice that is let go of too often', () => {
    const memory = new BlockMemory(SIZE);
    const block = memory.take(SIZE);

    memory.letGo(block);
    memory.letGo(block);

    expect(memory.free).toBe(SIZE);
  });

  it('goes back to the system but for what is asked for', () => {
    const memory = new BlockMemory(SIZE);
    const blocks = [1, 2, 3].map((value) => filled(memory, value));
    for (const block of blocks) memory.letGo(block);

    memory.trimTo(2 * SIZE - 1);

    expect(memory.free).toBe(SIZE);
  });
});

describe('memory that begins where pages do', () => {
  const PAGES = 1024 * 1024;
  /** Blocks of one piece of it. */
  const A_PIECE = 4;

  it('has its blocks there, and is used again', () => {
    const memory = new BlockMemory(PAGES, alignedMemory);
    const blocks = Array.from({ length: A_PIECE + 1 }, () => memory.take(PAGES));

    expect(blocks.map((block) => [areWholePages(block), block.byteOffset % PAGES])).toEqual(
      Array(A_PIECE + 1).fill([true, 0]),
    );
    expect(new Set(blocks.map(({ buffer }) => buffer)).size).toBe(2);
    const [first] = blocks;
    if (first !== undefined) memory.letGo(first);
    expect(memory.take(PAGES)).toBe(first);
    expect([areWholePages(memory.take(PAGES - 1)), areWholePages(new Uint8Array(PAGES))]).toEqual([
      false,
      false,
    ]);
  });

  it('goes back to the system piece by piece, when nobody holds anything of one', () => {
    const memory = new BlockMemory(PAGES, alignedMemory);
    const blocks = Array.from({ length: 2 * A_PIECE }, () => memory.take(PAGES));
    const [held, ...others] = blocks;
    for (const block of others) memory.letGo(block);

    memory.trimTo(0);
    expect(memory.free).toBe((A_PIECE - 1) * PAGES);
    if (held !== undefined) memory.letGo(held);
    memory.trimTo(0);

    expect(memory.free).toBe(0);
  });

  it('stays as far as it is asked for', () => {
    const memory = new BlockMemory(PAGES, alignedMemory);
    const blocks = Array.from({ length: 2 * A_PIECE }, () => memory.take(PAGES));
    for (const block of blocks) memory.letGo(block);

    memory.trimTo(PAGES);

    expect(memory.free).toBe(A_PIECE * PAGES);
  });

  it('is ordinary memory where the system has no room for such, which is asked once', () => {
    let asked = 0;
    const memory = new BlockMemory(PAGES, () => {
      asked += 1;
      return null;
    });
    const blocks = [memory.take(PAGES), memory.take(PAGES)];

    expect(blocks.map((block) => [block.length, areWholePages(block)])).toEqual([
      [PAGES, false],
      [PAGES, false],
    ]);
    expect(asked).toBe(1);
  });

  it('goes back to the system also where a block was forgotten', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const memory = new BlockMemory(PAGES, alignedMemory);
    const others = Array.from({ length: A_PIECE - 1 }, () => memory.take(PAGES));
    memory.take(PAGES);
    for (const block of others.splice(0)) memory.letGo(block);

    await expect
      .poll(() => {
        collectGarbage();
        memory.trimTo(0);
        return memory.free;
      })
      .toBe(0);
  });
});

describe('a cache of blocks that are used again', () => {
  it('keeps the bytes of each block that is in it', () => {
    const cache = new BlockCache(3 * SIZE, new BlockMemory(SIZE));

    for (let index = 0; index < 10; index += 1) {
      cache.claim(SIZE);
      const block = filled(cache.memory, index);
      cache.giveBack(SIZE);
      cache.set(1, index, block);
      cache.memory.letGo(block);
    }

    const kept = [...Array(10).keys()].filter((index) => cache.has(1, index));
    expect(kept).toEqual([7, 8, 9]);
    for (const index of kept) expect(cache.get(1, index)).toEqual(new Uint8Array(SIZE).fill(index));
  });

  it('takes no more memory than it may, also while blocks come and go', () => {
    const cache = new BlockCache(4 * SIZE, new BlockMemory(SIZE));
    for (let index = 0; index < 4; index += 1) {
      const block = filled(cache.memory, index);
      cache.set(1, index, block);
      cache.memory.letGo(block);
    }

    cache.claim(2 * SIZE);

    expect(cache.used).toBe(4 * SIZE);
    expect(cache.memory.free).toBe(2 * SIZE);
    cache.giveBack(2 * SIZE);
    expect(cache.memory.free).toBe(0);
    cache.dropVersion(1);
    expect(cache.memory.free).toBe(0);
  });

  it('leaves a block alone that somebody else still holds', () => {
    const cache = new BlockCache(SIZE, new BlockMemory(SIZE));
    const block = filled(cache.memory, 1);
    cache.set(1, 0, block);

    cache.dropVersion(1);
    const other = filled(cache.memory, 2);

    expect(other).not.toBe(block);
    expect(block).toEqual(new Uint8Array(SIZE).fill(1));
  });

  it('keeps a block that is put in its place once more', () => {
    const cache = new BlockCache(SIZE, new BlockMemory(SIZE));
    const block = filled(cache.memory, 1);
    cache.set(1, 0, block);
    cache.memory.letGo(block);

    cache.set(1, 0, block);

    expect(filled(cache.memory, 2)).not.toBe(block);
    expect(cache.get(1, 0)).toEqual(new Uint8Array(SIZE).fill(1));
  });
});

describe('blocks that nobody reads for a while', () => {
  const MINUTE = 60_000;

  function restingCache(): { cache: BlockCache; clock: ManualClock; gone: () => number } {
    const clock = new ManualClock();
    let gone = 0;
    const rest = { clock, gone: () => void (gone += 1) };
    const cache = new BlockCache(10 * SIZE, new BlockMemory(SIZE), rest);
    for (let index = 0; index < 4; index += 1) {
      const block = filled(cache.memory, index);
      cache.set(1, index, block);
      cache.memory.letGo(block);
    }
    return { cache, clock, gone: () => gone };
  }

  it('go, with their memory, and are told of once', () => {
    const { cache, clock, gone } = restingCache();

    clock.advance(2 * MINUTE);

    expect([cache.used, cache.memory.free, gone()]).toEqual([0, 0, 1]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('go for good: what comes later has its own time', () => {
    const { cache, clock, gone } = restingCache();
    clock.advance(2 * MINUTE);

    cache.set(2, 0, new Uint8Array(SIZE));
    clock.advance(MINUTE);
    const inBetween = cache.has(2, 0);
    clock.advance(MINUTE);

    expect([inBetween, cache.has(2, 0), gone()]).toEqual([true, false, 2]);
  });

  it('leave the others, which are read again and again', () => {
    const { cache, clock } = restingCache();

    for (let times = 0; times < 10; times += 1) {
      cache.get(1, 2);
      clock.advance(MINUTE / 2);
    }

    expect([0, 1, 2, 3].map((index) => cache.has(1, index))).toEqual([false, false, true, false]);
  });

  it('stay while a program is on its way to them', () => {
    const { cache, clock } = restingCache();
    clock.advance(MINUTE);
    cache.markUnread(1, 3, cache.maxBytes);

    clock.advance(10 * MINUTE);

    expect([cache.used, cache.has(1, 3)]).toEqual([SIZE, true]);
    cache.markRead(1, 3);
    clock.advance(2 * MINUTE);
    expect([cache.used, clock.pendingTimers]).toEqual([0, 0]);
  });
});
