/** One budget for all that is read: how far ahead each program is read of, and that it holds. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { ReadStream } from '../../src/content/read-stream.ts';
import { VersionReader } from '../../src/content/reader.ts';
import { FakeVersion, KIB, MIB, Reading, settle } from './reading.ts';

const STEP = 128 * KIB;

/** Reads on from `from` to `to`. */
async function readOn(reading: Reading, from: number, to: number, stream = reading.stream): Promise<void> {
  for (let position = from; position < to; position += STEP) {
    expect(await reading.reads(position, STEP, stream)).toBe(true);
  }
}

/** Another file of the same size, read by the same means. */
function anotherFile(reading: Reading, id: number): VersionReader {
  const version = new FakeVersion(reading.content.length);
  version.id = id;
  const reader = new VersionReader(reading.context, `k${id}`, version);
  reader.acquire();
  onTestFinished(() => {
    void reader.dispose();
  });
  return reader;
}

describe('a program that reads a large file in order', () => {
  it('is read ahead of by one part, then by twice as many with each part that it reaches, eight at most [read/ahead]', async () => {
    const reading = await Reading.begin({ size: 200 * MIB });
    const ahead: number[] = [];

    let position = 0;
    for (const end of [MIB / 2, MIB, 2 * MIB, 10 * MIB, 18 * MIB, 26 * MIB, 34 * MIB]) {
      await readOn(reading, position, end);
      position = end;
      await settle();
      ahead.push(reading.service.gets.length);
    }

    // The first window; a part; two after it, four, eight; and then one for each that was read.
    expect(ahead).toEqual([1, 2, 4, 7, 12, 13, 14]);
  });

  it('is not asked twice for bytes while another one reads much more than the memory holds', async () => {
    const reading = await Reading.begin({ size: 300 * MIB });
    const slow = anotherFile(reading, 2);
    const slowStream = new ReadStream();
    const into = new Uint8Array(STEP);
    for (let position = 0; position < 2 * MIB; position += STEP) await slow.read(into, position, slowStream);

    await readOn(reading, 0, 300 * MIB);
    for (let position = 2 * MIB; position < 8 * MIB; position += STEP) {
      await slow.read(into, position, slowStream);
    }

    const ofSlow = reading.service.sentOf('k2');
    expect(reading.service.sent - ofSlow).toBe(300 * MIB);
    expect(ofSlow).toBeLessThanOrEqual(9 * MIB + 8 * 8 * MIB);
    expect(new Set(reading.service.askedOf('k2')).size).toBe(reading.service.askedOf('k2').length);
  });

  it('waits for what is on its way after a short jump forward, and goes on in order', async () => {
    const reading = await Reading.begin({ size: 100 * MIB });
    await readOn(reading, 0, 12 * MIB);

    await readOn(reading, 30 * MIB, 100 * MIB);

    expect(reading.service.gets.length).toBe(14);
    expect(reading.service.sent).toBe(100 * MIB);
  });

  it('at several places of one descriptor has each of them read ahead of', async () => {
    const reading = await Reading.begin({ size: 400 * MIB });

    for (let position = 0; position < 40 * MIB; position += STEP) {
      for (const place of [0, 100, 200, 300]) {
        expect(await reading.reads(place * MIB + position, STEP)).toBe(true);
      }
    }

    expect(reading.service.sent).toBeLessThanOrEqual((160 + 96) * MIB);
    expect(reading.service.gets.length).toBeLessThanOrEqual(60);
    expect(new Set(reading.service.asked).size).toBe(reading.service.gets.length);
  });

  it('and stops gives back what was fetched for it, though it keeps the file open', async () => {
    const reading = await Reading.begin({ size: 200 * MIB });
    await readOn(reading, 0, 30 * MIB);
    await settle();
    const held = reading.cache.spokenFor;

    reading.clock.advance(10_000);

    expect(held).toBeGreaterThan(32 * MIB);
    expect(reading.cache.spokenFor).toBe(0);
    await readOn(reading, 30 * MIB, 200 * MIB);
    expect(reading.service.sent).toBe(200 * MIB);
  });

  it('and closes it leaves all of the memory to those that are read still', async () => {
    const reading = await Reading.begin({ size: 40 * MIB });
    const { windows } = reading.context;
    const alone = windows.share;
    const other = anotherFile(reading, 2);
    const otherStream = new ReadStream();
    const into = new Uint8Array(STEP);
    for (let position = 0; position < 4 * MIB; position += STEP)
      await other.read(into, position, otherStream);
    await readOn(reading, 0, 4 * MIB);
    expect(windows.share).toBeLessThan(alone);

    other.release();

    expect(windows.share).toBe(alone);
  });

  it('and looks only at the beginning of many files holds no memory when it rests', async () => {
    const reading = await Reading.begin({ size: 20 * MIB });
    for (let id = 2; id < 200; id += 1) {
      await anotherFile(reading, id).read(new Uint8Array(4096), 0, new ReadStream());
    }
    await settle();

    reading.clock.advance(10_000);

    expect(reading.cache.spokenFor).toBe(0);
  });
});

describe('64 programs that read a large file each', () => {
  it('stay within one budget, and no byte is asked for twice [read/memory] [read/ranges]', async () => {
    const size = 24 * MIB;
    const reading = await Reading.begin({ size });
    const into = new Uint8Array(STEP);
    const readers = Array.from({ length: 64 }, (_, k) => ({
      reader: anotherFile(reading, 2 + k),
      stream: new ReadStream(),
    }));
    let most = 0;

    for (let position = 0; position < size; position += STEP) {
      await Promise.all(
        readers.map(async ({ reader, stream }) => {
          await reader.read(into, position, stream);
          most = Math.max(most, reading.cache.used);
        }),
      );
    }

    expect(most).toBeLessThanOrEqual(128 * MIB);
    expect(reading.service.sent).toBe(64 * size);
  });

  it('get all their bytes though the memory is too small for their windows', async () => {
    const size = 2 * MIB;
    const reading = await Reading.begin({ size, cacheBytes: 4 * MIB });
    const into = new Uint8Array(STEP);
    const readers = Array.from({ length: 64 }, (_, k) => anotherFile(reading, 2 + k));
    let most = 0;

    const ends = readers.map(async (reader) => {
      const stream = new ReadStream();
      for (let position = 0; position < size; position += STEP) {
        await reader.read(into, position, stream);
        most = Math.max(most, reading.cache.used);
      }
    });
    await Promise.all(ends);

    expect(most).toBeLessThanOrEqual(4 * MIB);
  });
});
