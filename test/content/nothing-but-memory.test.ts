/** The service does not honour Range, and the local disk has no room for what comes whole: memory alone is left. */
import { expect, it } from 'vitest';
import { ReadStream } from '../../src/content/read-stream.ts';
import { Reading, settle, SMALL } from './reading.ts';

const SIZE = 20_000;
/** Memory holds a fifth of the file. */
const MOST_GETS = 10;

async function readInOrder(prepare: (reading: Reading) => void): Promise<number> {
  const reading = await Reading.begin({ ...SMALL, size: SIZE });
  reading.service.treatment = 'ignored';
  reading.service.chunk = 64;
  prepare(reading);
  const stream = new ReadStream();
  for (let position = 0; position < SIZE; position += SMALL.sizes.part) {
    expect(await reading.reads(position, SMALL.sizes.part, stream)).toBe(true);
    // The program is slower than the line.
    await settle();
  }
  return reading.service.gets.length;
}

it('a file on a full disk is downloaded again only for what the memory had no room for [read/no-ranges]', async () => {
  expect(await readInOrder(({ disk }) => (disk.room = 0))).toBeLessThanOrEqual(MOST_GETS);
});

it('so is one for whose last bytes the disk has no room', async () => {
  expect(await readInOrder(({ disk }) => (disk.room = SIZE / 2))).toBeLessThanOrEqual(MOST_GETS);
});
