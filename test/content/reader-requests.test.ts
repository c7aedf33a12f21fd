/** The request budget of reads: which GETs, how many, and no byte twice. */
import { describe, expect, it } from 'vitest';
import { ReadStream } from '../../src/content/read-stream.ts';
import { KIB, MIB, Reading, SMALL, settle } from './reading.ts';

describe('a sequential read', () => {
  it.each([1, 5000, 128 * KIB, MIB])('of %i bytes is one GET without Range [read/ranges]', async (size) => {
    const reading = await Reading.begin({ size });

    expect(await reading.readsAll()).toBe(true);
    expect(await reading.readsAll()).toBe(true);

    expect(reading.service.asked).toEqual(['whole']);
  });

  it.each([
    [MIB + 1, 2],
    [9 * MIB, 2],
    [9 * MIB + 1, 3],
    [30 * MIB + 77, 5],
  ])('of %i bytes is the first window and parts of one size: %i GETs [read/ranges]', async (size, gets) => {
    const reading = await Reading.begin({ size });

    expect(await reading.readsAll()).toBe(true);

    const parts = Array.from({ length: gets - 1 }, (_, k) => {
      const start = MIB + k * 8 * MIB;
      return `${start}-${Math.min(size, start + 8 * MIB)}`;
    });
    expect(reading.service.asked).toEqual([`0-${MIB}`, ...parts]);
    expect(reading.service.sent).toBe(size);
  });

  it('keeps its number of GETs when the kernel asks for neighbours in the wrong order', async () => {
    const size = 20 * MIB;
    const reading = await Reading.begin({ size });
    const step = 128 * KIB;

    for (let position = 0; position < size; position += 2 * step) {
      const pair = [reading.reads(position + step, step), reading.reads(position, step)];
      expect(await Promise.all(pair)).toEqual([true, true]);
    }

    expect(reading.service.gets.length).toBe(4);
    expect(reading.service.sent).toBe(size);
  });

  it('of two programs at the same time fetches no byte twice', async () => {
    const size = 20 * MIB;
    const reading = await Reading.begin({ size });

    expect(await Promise.all([reading.readsAll(), reading.readsAll(96 * KIB)])).toEqual([true, true]);

    expect(reading.service.sent).toBe(size);
    expect(reading.service.gets.length).toBe(4);
  });

  it('fetches only the window for a program that looks at the beginning [read/ranges]', async () => {
    const reading = await Reading.begin({ size: 20 * MIB });

    expect(await reading.reads(0, 64 * KIB)).toBe(true);
    await settle();

    expect(reading.service.asked).toEqual([`0-${MIB}`]);
  });

  it('skips what is there already', async () => {
    const reading = await Reading.begin({ size: 9 * MIB });
    await reading.reads(0, 1);
    await reading.reads(4 * MIB, 1, new ReadStream());

    expect(await reading.readsAll()).toBe(true);

    const block = 128 * KIB;
    expect(reading.service.asked).toEqual([
      `0-${MIB}`,
      `${4 * MIB}-${4 * MIB + block}`,
      `${MIB}-${4 * MIB}`,
      `${4 * MIB + block}-${9 * MIB}`,
    ]);
  });

  it('from the middle asks for blocks first and for parts once it goes on', async () => {
    const size = 40 * MIB;
    const reading = await Reading.begin({ size });

    for (let position = 20 * MIB; position < size; position += 128 * KIB) {
      expect(await reading.reads(position, 128 * KIB)).toBe(true);
    }

    expect(reading.service.sent).toBe(20 * MIB);
    expect(reading.service.gets.length).toBeLessThan(10);
  });
});

describe('a sequential read of a file that the kernel has in part', () => {
  it.each([8, 32, 64])('asks for parts, though a page of every %i KiB alone is read', async (stride) => {
    const size = 40 * MIB;
    const reading = await Reading.begin({ size });
    const begin = 8 * MIB;

    for (let position = begin; position < size; position += stride * KIB) {
      expect(await reading.reads(position, 4 * KIB)).toBe(true);
    }

    const ranges = reading.service.asked;
    expect(ranges.length).toBeLessThanOrEqual(10);
    expect(reading.service.sent).toBe(size - begin);
  });
});

describe('reads here and there', () => {
  it('fetch the missing blocks only, neighbours in one GET', async () => {
    const reading = await Reading.begin({ size: 20 * MIB });
    const block = 128 * KIB;

    expect(await reading.reads(50 * block + 5, 10)).toBe(true);
    expect(await reading.reads(50 * block + 500, 10)).toBe(true);
    expect(await reading.reads(90 * block - 1, 2)).toBe(true);
    expect(await reading.reads(48 * block + 1, 5 * block)).toBe(true);

    expect(reading.service.asked).toEqual([
      `${50 * block}-${51 * block}`,
      `${89 * block}-${91 * block}`,
      `${48 * block}-${50 * block}`,
      `${51 * block}-${54 * block}`,
    ]);
  });

  it('of 4 KiB download a block each, in one GET each: 300 of them no more than 40 MB [read/ranges]', async () => {
    const size = 300 * MIB;
    const reading = await Reading.begin({ size });
    // Each in another block, in no order.
    const positions = Array.from(
      { length: 300 },
      (_, k) => ((k * 7919) % 2389) * 128 * KIB + MIB / 2 + 4 * KIB,
    );

    for (const position of positions) expect(await reading.reads(position, 4 * KIB)).toBe(true);

    expect(reading.service.gets.length).toBe(300);
    expect(reading.service.sent).toBe(300 * 128 * KIB);
    expect(reading.service.sent).toBeLessThan(40_000_000);
  });

  it('of the same bytes at the same time wait for one GET', async () => {
    const reading = await Reading.begin({ size: 20 * MIB });

    const reads = [0, 1, 2].map((at) => reading.reads(10 * MIB + at, 100, new ReadStream()));

    expect(await Promise.all(reads)).toEqual([true, true, true]);
    expect(reading.service.gets.length).toBe(1);
  });
});

describe.each(['ignored', 'refused'] as const)('where Range is %s', (treatment) => {
  const refusedGets = treatment === 'refused' ? 1 : 0;

  it.each([20 * MIB, 60 * MIB])(
    'a file of %i bytes is one GET of the whole, for all who read it [read/no-ranges]',
    async (size) => {
      const reading = await Reading.begin({ size });
      reading.service.treatment = treatment;

      const reads = [
        reading.reads(size - 100, 200, new ReadStream()),
        reading.readsAll(),
        reading.readsAll(MIB),
      ];

      expect(await Promise.all(reads)).toEqual([true, true, true]);
      expect(await reading.reads(1234, 5678)).toBe(true);
      expect(reading.service.gets.length).toBe(1 + refusedGets);
      expect(reading.service.sent).toBe(size);
      expect(await reading.hasAll()).toBe(true);
      expect(reading.disk.left.size).toBe(size > 32 * MIB ? 1 : 0);
    },
  );

  it('a large file is on disk only while its reader lives', async () => {
    const reading = await Reading.begin({ size: 40 * MIB });
    reading.service.treatment = treatment;
    await reading.readsAll(MIB);

    void reading.reader.dispose();
    await settle();

    expect(reading.disk.left.size).toBe(0);
  });

  it('nothing of a large file stays on disk when its reader ends while the place for it is made', async () => {
    const reading = await Reading.begin({ ...SMALL, size: 5000 });
    const { disk, reader, service } = reading;
    service.treatment = treatment;
    const create = disk.create.bind(disk);
    disk.create = (directory) => {
      void reader.dispose();
      return create(directory);
    };

    await expect(reading.reads(0, 10)).rejects.toMatchObject({ kind: 'aborted' });

    expect(disk.left.size).toBe(0);
  });
});

describe('where Range is ignored after it was honoured', () => {
  it.each([20 * MIB, 60 * MIB])(
    'a file of %i bytes is downloaded whole once, not once for each part that was asked for',
    async (size) => {
      const reading = await Reading.begin({ size });
      expect(await reading.reads(0, MIB)).toBe(true);
      reading.service.treatment = 'ignored';

      const places = Array.from({ length: 8 }, (_, index) => (index * size) / 8);
      const reads = places.map((place) => reading.reads(place, MIB, new ReadStream()));
      expect(await Promise.all(reads)).toEqual(places.map(() => true));
      expect(await reading.readsAll(MIB)).toBe(true);

      // The headers of the others come with a first piece of the body.
      expect(reading.service.sent).toBeLessThan(1.2 * size);
    },
  );
});

describe('a full local disk', () => {
  it.each(['create', 'write'] as const)(
    'at the %s of a spool costs no wrong byte and no error',
    async (step) => {
      const reading = await Reading.begin({ size: 40 * MIB });
      reading.service.treatment = 'ignored';
      if (step === 'create') reading.disk.failures.set('create', 'ENOSPC');
      else reading.disk.room = 10 * MIB + 3;

      expect(await reading.readsAll(MIB)).toBe(true);

      expect(reading.disk.left.size).toBe(0);
    },
  );

  it('that loses spooled bytes makes them be fetched again', async () => {
    const reading = await Reading.begin({ size: 40 * MIB });
    reading.service.treatment = 'ignored';
    await reading.readsAll(MIB);
    reading.disk.failures.set('read', 'EIO');

    expect(await reading.reads(MIB + 5, 100)).toBe(true);
    expect(reading.service.asked).toEqual([`0-${MIB}`, 'whole']);
  });
});
