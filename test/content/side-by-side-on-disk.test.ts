/** Several readers, or several files, want the disk cache at the same moment. */
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { GROUP, openCache, readOnce } from './disk-cache-for-test.ts';
import { Reading, settle, SMALL } from './reading.ts';

const SIZE = 1000;

/** A reader that knows nothing yet of a file that is on the disk. */
async function afterRemount(): Promise<Reading> {
  const directory = await temporaryDirectory();
  await readOnce(directory, SIZE);
  return Reading.begin({ ...SMALL, size: SIZE, disk: openCache(directory) });
}

describe('reads side by side of what is on the disk', () => {
  it('ask the service for nothing [read/kept]', async () => {
    const reading = await afterRemount();

    const reads = await Promise.all([0, 16, 32].map((position) => reading.reads(position, 16)));

    expect(reads).toEqual([true, true, true]);
    expect(reading.service.asked).toEqual([]);
  });

  it('do not need the service [errors/away]', async () => {
    const reading = await afterRemount();
    reading.service.refusals = Array.from({ length: 20 }, () => 'unavailable' as const);

    const reads = await Promise.all([0, 16].map((position) => reading.reads(position, 16)));

    expect(reads).toEqual([true, true]);
  });
});

it('two files that came whole at the same time get to the disk, though what waits for it has less room than they need [read/no-ranges]', async () => {
  const directory = await temporaryDirectory();
  const sizes = [5000, 5100];
  const clock = new ManualClock(Date.now());
  const disk = openCache(directory, { mostWaiting: 8 * SMALL.blockSize, clock });
  const readings = await Promise.all(sizes.map((size) => Reading.begin({ ...SMALL, size, disk })));
  for (const { service } of readings) service.treatment = 'ignored';
  await Promise.all(readings.map((reading) => reading.readsAll(SMALL.blockSize)));

  for (const { context, version } of readings) {
    const there = context.onDisk?.({ key: 'k', etag: 'first', size: version.size });
    const blocks = Array.from({ length: Math.ceil(version.size / SMALL.blockSize) }, (_, index) => index);
    const missing = async (): Promise<readonly number[]> => {
      // The last ones are written when nobody has read for a moment.
      clock.advance(1000);
      await there?.look(0, blocks.length - 1);
      return blocks.filter((index) => there?.has(index) !== true);
    };
    await expect.poll(missing, { timeout: 20_000 }).toEqual([]);
  }
});

it('eight large files are copied from the disk at the same time, though only some of their groups are held open', async () => {
  const directory = await temporaryDirectory();
  // As many groups as 1 GiB has in blocks of 128 KiB.
  const sizes = Array.from({ length: 8 }, (_, index) => 128 * GROUP + index * SMALL.blockSize);
  for (const size of sizes) await readOnce(directory, size);
  const disk = openCache(directory);
  const readings = await Promise.all(sizes.map((size) => Reading.begin({ ...SMALL, size, disk })));
  const target = { write: () => Promise.resolve() };

  await Promise.all(
    readings.map(({ reader, content }) => reader.copyTo(target, { start: 0, end: content.length })),
  );
  await settle();

  expect(readings.map(({ service }) => service.gets.length)).toEqual(sizes.map(() => 0));
});
