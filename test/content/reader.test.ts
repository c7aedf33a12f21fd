import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReadStream } from '../../src/content/read-stream.ts';
import { VersionChanged } from '../../src/store/range-reader.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { KIB, MIB, Reading, SMALL, settle } from './reading.ts';

describe('a read', () => {
  it('ends at the end of the file', async () => {
    const { reader, stream } = await Reading.begin({ ...SMALL, size: 100 });

    const counts = [
      await reader.read(new Uint8Array(50), 90, stream),
      await reader.read(new Uint8Array(50), 100, stream),
      await reader.read(new Uint8Array(50), 5000, stream),
    ];

    expect(counts).toEqual([10, 0, 0]);
  });

  it('of an empty file asks for nothing', async () => {
    const { reader, service, stream } = await Reading.begin({ ...SMALL, size: 0 });

    expect(await reader.read(new Uint8Array(5), 0, stream)).toBe(0);
    expect(service.asked).toEqual([]);
  });

  it.each(['honoured', 'ignored'] as const)(
    'has its first bytes before the rest has landed (Range %s) [read/no-ranges]',
    async (treatment) => {
      const reading = await Reading.begin({ size: 40 * MIB });
      reading.service.treatment = treatment;
      reading.service.holdAt = 5000;

      expect(await reading.reads(0, 4096)).toBe(true);
      const late = reading.reads(4096, 8192);
      await settle();
      reading.service.resume();

      expect(await late).toBe(true);
    },
  );

  it('goes on after bodies that are cut anywhere', async () => {
    for (const treatment of ['honoured', 'ignored', 'refused'] as const) {
      const reading = await Reading.begin({ ...SMALL, size: 500 });
      reading.service.treatment = treatment;
      reading.service.chunk = 5;
      reading.service.cuts = [0, 1, 15, 16, 17, null, 63];

      expect(await reading.readsAll(30)).toBe(true);
    }
  });

  it('fails with the fault of its GET, and the next read asks again', async () => {
    const reading = await Reading.begin({ ...SMALL, size: 500 });
    reading.service.refusals = ['unavailable'];

    await expect(reading.reads(0, 10)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await reading.reads(0, 10)).toBe(true);
  });

  it('does not suffer from a failed read-ahead', async () => {
    const reading = await Reading.begin({ ...SMALL, size: 600 });
    reading.service.refusals = [null, 'unavailable'];
    await reading.reads(0, 64);
    await settle();

    expect(await reading.readsAll(64)).toBe(true);
  });

  it('leaves the buffer alone after it failed', async () => {
    const reading = await Reading.begin({ ...SMALL, size: 500 });
    await reading.reads(90, 1);
    const into = new Uint8Array(64);
    reading.service.refusals = [null, 'unavailable'];

    await expect(reading.reader.read(into, 64, reading.stream)).rejects.toMatchObject({
      kind: 'unavailable',
    });
    into.fill(0);
    await settle();

    expect(into.every((byte) => byte === 0)).toBe(true);
  });
});

describe('a foreign change', () => {
  it('ends reads of missing bytes; bytes that are here stay readable', async () => {
    const reading = await Reading.begin({ ...SMALL, size: 500 });
    await reading.reads(0, 20);
    await settle();
    reading.service.replace(patternedBytes(500, 9), 'second');

    await expect(reading.reads(400, 10)).rejects.toThrow(VersionChanged);
    expect(await reading.reads(0, 64)).toBe(true);
  });

  it('in the middle of a body that is cut never mixes two versions [fresh/no-mixing]', async () => {
    const reading = await Reading.begin({ ...SMALL, size: 500 });
    reading.service.treatment = 'ignored';
    reading.service.chunk = 10;
    reading.service.cuts = [200];
    reading.service.holdAt = 100;
    const early = reading.reads(0, 90);
    const late = reading.reads(250, 10, new ReadStream());
    const lateOutcome = expect(late).rejects.toThrow(VersionChanged);
    await early;

    reading.service.replace(patternedBytes(500, 9), 'second');
    reading.service.resume();

    await lateOutcome;
    expect(await reading.reads(0, 190)).toBe(true);
  });
});

describe('closing', () => {
  it('the last handle ends a long GET; what has landed stays readable, and the rest is fetched anew', async () => {
    const reading = await Reading.begin({ size: 40 * MIB });
    reading.service.treatment = 'ignored';
    reading.service.holdAt = 2 * MIB;
    await reading.reads(0, MIB);
    reading.reader.acquire();

    reading.reader.release();
    await settle();
    const open = reading.service.gets[0]?.closed;
    reading.reader.release();
    const next = reading.reads(30 * MIB, 10);
    await expect.poll(() => reading.service.gets[0]?.closed).toBe(true);

    expect(open).toBe(false);
    reading.service.resume();
    expect(await next).toBe(true);
    expect(await reading.reads(0, MIB)).toBe(true);
    expect(reading.service.gets.length).toBe(2);
  });

  it('lets a short GET land', async () => {
    const reading = await Reading.begin({ size: 100 * KIB });
    reading.service.holdAt = 5000;
    await reading.reads(0, 10);

    reading.reader.release();
    reading.service.resume();
    await settle();

    expect(await reading.hasAll()).toBe(true);
  });
});

describe('a cache too small for the file', () => {
  it('costs repeated GETs and no wrong byte', async () => {
    for (const treatment of ['honoured', 'ignored', 'refused'] as const) {
      const reading = await Reading.begin({ ...SMALL, size: 900, cacheBytes: 50 });
      reading.service.treatment = treatment;

      const all = [reading.readsAll(33), reading.readsAll(100), reading.readsAll(900)];

      expect(await Promise.all(all)).toEqual([true, true, true]);
    }
  });

  it('fetches evicted blocks again', async () => {
    const reading = await Reading.begin({ ...SMALL, size: 900, cacheBytes: 64 });
    await reading.reads(500, 10);
    for (const position of [600, 650, 700, 750]) await reading.reads(position, 10);

    expect(await reading.reads(500, 10)).toBe(true);
    expect(reading.service.asked.filter((asked) => asked === '496-512').length).toBe(2);
  });
});

describe('a version that gets another number when the service names it', () => {
  it('loses the bytes cached before', async () => {
    const reading = await Reading.begin({ ...SMALL, size: 60 });
    reading.cache.set(1, 0, new Uint8Array(16));
    reading.version.id = 2;

    expect(await reading.reads(0, 60)).toBe(true);
    expect(reading.cache.has(1, 0)).toBe(false);
    expect(await reading.hasAll()).toBe(true);
  });

  it('mixes none of them with what comes under the new one, in a read that needs both [fresh/no-mixing]', async () => {
    const reading = await Reading.begin({ ...SMALL, size: 60 });
    const { cache, version } = reading;
    cache.set(1, 0, new Uint8Array(16));
    version.matches = () => {
      version.id = 2;
      return true;
    };

    expect(await reading.reads(0, 60)).toBe(true);
  });
});

describe('any reads of any file, at the same time', () => {
  const treatments = fc.constantFrom('honoured' as const, 'ignored' as const, 'refused' as const);
  const reads = fc.array(fc.record({ at: fc.nat(1000), length: fc.integer({ min: 1, max: 400 }) }), {
    minLength: 1,
    maxLength: 12,
  });

  it('have the file’s bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          size: fc.nat(1000),
          treatment: treatments,
          cacheBytes: fc.constantFrom(20, 100, 500, 4096),
          chunk: fc.integer({ min: 1, max: 90 }),
          shortenTo: fc.constantFrom(0, 0, 40, 1),
          cuts: fc.array(fc.option(fc.nat(300)), { maxLength: 4 }),
          groups: fc.array(reads, { minLength: 1, maxLength: 3 }),
        }),
        async ({ size, treatment, cacheBytes, chunk, shortenTo, cuts, groups }) => {
          const reading = await Reading.begin({ ...SMALL, size, cacheBytes });
          Object.assign(reading.service, { treatment, chunk, shortenTo, cuts: [...cuts] });

          for (const group of groups) {
            const right = group.map(({ at, length }) => reading.reads(at, length));
            expect(await Promise.all(right)).toEqual(group.map(() => true));
          }
          expect(await reading.readsAll(77)).toBe(true);
          void reading.reader.dispose();
          await settle();
          expect(reading.disk.left.size).toBe(0);
        },
      ),
      { numRuns: 300 },
    );
  });
});
