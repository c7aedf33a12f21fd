import { describe, expect, it } from 'vitest';
import { Reading, SMALL } from './reading.ts';

function collector(size: number) {
  const bytes = new Uint8Array(size);
  const writes: number[] = [];
  return {
    bytes,
    writes,
    write: (data: Uint8Array, position: number): Promise<void> => {
      bytes.set(data, position);
      writes.push(position);
      return Promise.resolve();
    },
  };
}

describe('a copy for a draft', () => {
  it('is one GET when nothing is here, and does not fill the cache', async () => {
    const reading = await Reading.begin({ ...SMALL, size: 900 });
    const target = collector(900);

    await reading.reader.copyTo(target, { start: 0, end: 900 });

    expect(Buffer.compare(target.bytes, reading.content)).toBe(0);
    expect(reading.service.asked).toEqual(['whole']);
    expect(reading.cache.has(1, 0)).toBe(false);
  });

  it('fetches only what is missing', async () => {
    const reading = await Reading.begin({ ...SMALL, size: 900 });
    await reading.reads(100, 10);
    await reading.reads(500, 10);
    const target = collector(900);

    await reading.reader.copyTo(target, { start: 3, end: 700 });

    expect(Buffer.compare(target.bytes.subarray(3, 700), reading.content.subarray(3, 700))).toBe(0);
    expect(target.bytes.subarray(700).every((byte) => byte === 0)).toBe(true);
    expect(reading.service.asked.slice(2)).toEqual(['3-96', '112-496', '512-700']);
  });

  it('is one GET of the whole where Range is ignored, and writes nothing outside its range', async () => {
    const reading = await Reading.begin({ ...SMALL, size: 900 });
    reading.service.treatment = 'ignored';
    reading.cache.set(1, 10, reading.content.slice(160, 176));
    const target = collector(900);

    await reading.reader.copyTo(target, { start: 70, end: 800 });

    expect(Buffer.compare(target.bytes.subarray(70, 800), reading.content.subarray(70, 800))).toBe(0);
    expect([target.bytes[69], target.bytes[800]]).toEqual([0, 0]);
    expect(reading.service.gets.length).toBe(1);
  });

  it.each([60, 300])(
    'of %i bytes mixes nothing kept of an unnamed upload with what comes under its new name [fresh/no-mixing]',
    async (size) => {
      const reading = await Reading.begin({ ...SMALL, size });
      const { cache, version } = reading;
      for (const index of [0, 2]) cache.set(1, index, new Uint8Array(16));
      version.matches = () => {
        version.id = 2;
        return true;
      };
      const target = collector(size);

      await reading.reader.copyTo(target, { start: 0, end: size });

      expect(Buffer.compare(target.bytes, reading.content)).toBe(0);
    },
  );

  it('of a small file leaves it cached', async () => {
    const reading = await Reading.begin({ ...SMALL, size: 60 });
    const target = collector(60);

    await reading.reader.copyTo(target, { start: 0, end: 60 });

    expect(Buffer.compare(target.bytes, reading.content)).toBe(0);
    expect(await reading.hasAll()).toBe(true);
  });

  it('hears the disk error of its target', async () => {
    const reading = await Reading.begin({ ...SMALL, size: 900 });
    const failure = Object.assign(new Error('full'), { code: 'ENOSPC' });

    const copy = reading.reader.copyTo({ write: () => Promise.reject(failure) }, { start: 0, end: 900 });

    await expect(copy).rejects.toBe(failure);
  });
});
