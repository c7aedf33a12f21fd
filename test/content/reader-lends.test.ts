/** What a read lends to one who need not have a copy, and that it all comes back. */
import { setMaxListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Interrupted } from '../../src/base/waiter.ts';
import { ReadStream } from '../../src/content/read-stream.ts';
import { CountedMemory } from '../support/counted-memory.ts';
import { LendingRoom } from '../support/lending-room.ts';
import { Reading, settle, SMALL, type ReadingOptions } from './reading.ts';

/** A reader of blocks of 16 bytes, whose memory counts its holders. */
async function counted(options: Omit<ReadingOptions, 'memory' | 'blockSize'>) {
  const memory = new CountedMemory(SMALL.blockSize);
  const reading = await Reading.begin({ ...SMALL, ...options, memory });
  /** What somebody still holds once nothing is cached or on its way any more. */
  const left = async (): Promise<number> => {
    reading.service.resume();
    void reading.reader.dispose();
    await settle();
    reading.cache.dropVersion(reading.version.id);
    return memory.holders;
  };
  return { reading, memory, left };
}

/** Where the first `count` blocks begin and end. */
const blocks = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ start: index * 16, end: (index + 1) * 16 }));

/** One program's read from `position` on. */
function lending(reading: Reading, position: number, length: number, signal?: AbortSignal) {
  const room = new LendingRoom(length);
  const done = reading.reader.read(room, position, new ReadStream(), { signal });
  const wanted = reading.content.subarray(position, position + length);
  return { room, done, isRight: () => Buffer.compare(room.bytes(wanted.length), wanted) === 0 };
}

describe('a read for one who takes bytes as they lie', () => {
  it('is lent blocks that are in memory, and nothing is copied', async () => {
    const { reading, left } = await counted({ size: 600 });
    await reading.readsAll();
    const { room, done, isRight } = lending(reading, 160, 128);

    expect(await done).toBe(128);
    expect([room.lent, room.copied, isRight()]).toEqual([blocks(8), 0, true]);
    expect(reading.context.served.memory).toBeGreaterThanOrEqual(128);
    room.free();
    expect(await left()).toBe(0);
  });

  it('is lent blocks that it has waited for, which cost the same GETs', async () => {
    const { reading, left } = await counted({ size: 600 });
    Object.assign(reading.service, { holdAt: 40, chunk: 7 });
    const { room, done, isRight } = lending(reading, 0, 64);
    await settle();
    const early = [...room.lent];
    reading.service.resume();

    expect(await done).toBe(64);
    expect(early).toEqual([]);
    expect([room.lent, room.copied, isRight()]).toEqual([blocks(4), 0, true]);
    expect(reading.service.asked).toEqual(['0-64']);
    expect(reading.context.served).toEqual({ memory: 0, disk: 0, service: 64 });
    room.free();
    expect(await left()).toBe(0);
  });

  it('keeps what it was lent, whatever becomes of the cache', async () => {
    const { reading, memory, left } = await counted({ size: 64 });
    const { room, done, isRight } = lending(reading, 0, 64);
    await done;
    reading.cache.dropVersion(1);
    const others = Array.from({ length: 20 }, () => memory.take(16).fill(255));

    expect(isRight()).toBe(true);
    for (const block of others) memory.letGo(block);
    room.free();
    expect(await left()).toBe(0);
  });

  it('is lent the last block as well, and its end is where the file ends', async () => {
    const { reading, left } = await counted({ size: 600 });
    const { room, done, isRight } = lending(reading, 592, 64);

    expect(await done).toBe(8);
    expect([room.lent, room.copied, isRight()]).toEqual([[{ start: 0, end: 8 }], 0, true]);
    room.free();
    expect(await left()).toBe(0);
  });

  it('gets a copy of a few bytes of a block, as soon as they have landed', async () => {
    const { reading, left } = await counted({ size: 600 });
    Object.assign(reading.service, { holdAt: 42, chunk: 7 });
    const { room, done, isRight } = lending(reading, 16, 26);

    expect(await done).toBe(26);
    expect([room.lent, room.copied > 0, isRight()]).toEqual([[{ start: 0, end: 16 }], true, true]);
    room.free();
    expect(await left()).toBe(0);
  });

  it('gets copies of what is not kept in memory', async () => {
    const { reading, left } = await counted({ size: 600, cacheBytes: 128 });
    reading.service.treatment = 'ignored';
    const { room, done, isRight } = lending(reading, 64, 64);

    expect(await done).toBe(64);
    expect([room.lent, isRight()]).toEqual([[], true]);
    expect(reading.service.asked).toHaveLength(1);
    expect(await left()).toBe(0);
  });

  it('that fails was lent nothing, and gives back what it had found', async () => {
    const { reading, left } = await counted({ size: 600 });
    await reading.reads(0, 16);
    await settle();
    reading.service.refusals = ['unavailable'];
    const { room, done } = lending(reading, 32, 64);

    await expect(done).rejects.toMatchObject({ kind: 'unavailable' });
    expect(room.lent).toEqual([]);
    expect(await left()).toBe(0);
  });

  it('that is interrupted was lent nothing, and gives back what it had found', async () => {
    const { reading, left } = await counted({ size: 600 });
    reading.service.holdAt = 40;
    const controller = new AbortController();
    const { room, done } = lending(reading, 0, 64, controller.signal);
    await settle();
    controller.abort();

    await expect(done).rejects.toThrow(Interrupted);
    reading.service.resume();
    await settle();
    expect(room.lent).toEqual([]);
    expect(await left()).toBe(0);
  });

  it('mixes none of the bytes kept under a name that proves wrong with others [fresh/no-mixing]', async () => {
    const { reading, memory, left } = await counted({ size: 60 });
    const { cache, version } = reading;
    const stale = memory.take(16).fill(0);
    cache.set(1, 0, stale);
    memory.letGo(stale);
    version.matches = () => {
      version.id = 2;
      return true;
    };
    const { room, done, isRight } = lending(reading, 0, 60);

    expect(await done).toBe(60);
    expect([room.lent.length, isRight()]).toEqual([4, true]);
    room.free();
    expect(await left()).toBe(0);
  });
});

describe('any reads, at the same time, some of them lent', () => {
  const read = fc.record({
    at: fc.nat(1000),
    length: fc.integer({ min: 1, max: 400 }),
    leaves: fc.boolean(),
  });

  it('have the file’s bytes until they give them back, and all are given back', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          size: fc.nat(1000),
          treatment: fc.constantFrom('honoured' as const, 'ignored' as const, 'refused' as const),
          cacheBytes: fc.constantFrom(20, 100, 500, 4096),
          chunk: fc.integer({ min: 1, max: 90 }),
          cuts: fc.array(fc.option(fc.nat(300)), { maxLength: 4 }),
          groups: fc.array(fc.array(read, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 }),
        }),
        async ({ size, treatment, cacheBytes, chunk, cuts, groups }) => {
          const { reading, left } = await counted({ size, cacheBytes });
          Object.assign(reading.service, { treatment, chunk, cuts: [...cuts] });
          const ended: ReturnType<typeof lending>[] = [];
          for (const group of groups) {
            const controller = new AbortController();
            setMaxListeners(0, controller.signal);
            const begun = group.map(({ at, length, leaves }) =>
              lending(reading, at, length, leaves ? controller.signal : undefined),
            );
            await settle();
            controller.abort();
            const outcomes = await Promise.allSettled(begun.map(({ done }) => done));
            ended.push(...begun.filter((_, index) => outcomes[index]?.status === 'fulfilled'));
          }

          expect(ended.map(({ isRight }) => isRight())).toEqual(ended.map(() => true));
          for (const { room } of ended) room.free();
          expect(await left()).toBe(0);
        },
      ),
    );
  });
});
