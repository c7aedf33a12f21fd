import { describe, expect, it } from 'vitest';
import { BlockCache } from '../../src/content/block-cache.ts';
import { BlockMemory } from '../../src/base/block-memory.ts';
import { BlockFeed } from '../../src/content/block-feed.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';

const block = (value: number, size = 10): Uint8Array => new Uint8Array(size).fill(value);

describe('the block cache', () => {
  it('keeps blocks by version and place', () => {
    const cache = new BlockCache(100, new BlockMemory(10));

    cache.set(1, 0, block(1));
    cache.set(2, 0, block(2));

    expect([cache.get(1, 0)?.[0], cache.get(2, 0)?.[0], cache.get(1, 1)]).toEqual([1, 2, undefined]);
    expect([cache.has(1, 0), cache.has(1, 1), cache.has(3, 0)]).toEqual([true, false, false]);
  });

  it('drops the block that was not used for longest when it is full', () => {
    const cache = new BlockCache(30, new BlockMemory(10));
    for (const index of [0, 1, 2]) cache.set(1, index, block(index));
    cache.get(1, 0);

    cache.set(1, 3, block(3));

    expect([0, 1, 2, 3].map((index) => cache.has(1, index))).toEqual([true, false, true, true]);
  });

  it('drops a version and nothing else', () => {
    const cache = new BlockCache(100, new BlockMemory(10));
    cache.set(1, 0, block(1));
    cache.set(1, 1, block(1));
    cache.set(11, 0, block(2));

    cache.dropVersion(1);
    cache.dropVersion(7);

    expect([cache.has(1, 0), cache.has(1, 1), cache.has(11, 0)]).toEqual([false, false, true]);
  });

  it('drops those of tiny files when what they take beside their bytes is as much as it may hold', () => {
    const cache = new BlockCache(4 * 1024 * 1024);
    const most = 4096;

    for (let version = 1; version <= most + 2; version += 1) cache.set(version, 0, block(1, 1));

    expect([1, 2, 3].map((version) => cache.has(version, 0))).toEqual([false, false, true]);
    expect(cache.used).toBe(most);
  });

  it('does not keep a block larger than itself', () => {
    const cache = new BlockCache(5, new BlockMemory(10));

    cache.set(1, 0, block(1));

    expect(cache.has(1, 0)).toBe(false);
  });
});

describe('an upload on its way past the cache', () => {
  const content = patternedBytes(24);
  const feedOf = (cache: BlockCache): BlockFeed => new BlockFeed(cache, content.length);

  it('leaves its bytes for the version that it made', () => {
    const cache = new BlockCache(100, new BlockMemory(10));
    const feed = feedOf(cache);

    feed.take(content.subarray(0, 3), 0);
    feed.take(content.subarray(0, 15), 0);
    feed.take(content.subarray(15), 15);
    feed.commit(4);

    expect(Buffer.concat([0, 1, 2].map((index) => cache.get(4, index) ?? block(0)))).toEqual(
      Buffer.from(content),
    );
  });

  it('leaves nothing when some bytes did not pass', () => {
    const cache = new BlockCache(100, new BlockMemory(10));
    const feed = feedOf(cache);

    feed.take(content.subarray(0, 15), 0);
    feed.take(content.subarray(20), 20);
    feed.commit(4);

    expect(cache.has(4, 0)).toBe(false);
  });

  it('leaves nothing when it would fill more than a quarter of the cache', () => {
    const cache = new BlockCache(90, new BlockMemory(10));
    const feed = feedOf(cache);

    feed.take(content, 0);
    feed.commit(4);

    expect(cache.has(4, 0)).toBe(false);
  });
});
