/** What becomes of blocks that a disk cache cannot take: since too many wait already, its disk has failed, or the mount has ended? */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { silentLog, type Log } from '../../src/base/log.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { GROUP, groupFiles, openCache } from './disk-cache-for-test.ts';
import { settle, SMALL } from './reading.ts';

const BLOCK = Buffer.alloc(SMALL.blockSize, 'x');
/** More of them find no room where two may wait. */
const BLOCKS = 30;

const nameOf = (key: string) => ({
  service: 'https://storage.example.com',
  bucket: 'b',
  key,
  etag: 'e',
  size: GROUP,
});

it('one that is larger than all that may wait is not kept, and nobody waits for that', async () => {
  const disk = openCache(await temporaryDirectory(), { mostWaiting: SMALL.blockSize - 1 });

  expect(await disk.whenRoom(SMALL.blockSize)).toBe(false);
  expect(await disk.content(nameOf('k')).keepInTime(0, BLOCK)).toBe(false);
});

it('an unmount is not held up by those that found no room', async () => {
  const directory = await temporaryDirectory();
  const disk = openCache(directory, { mostWaiting: 2 * SMALL.blockSize });
  for (let number = 0; number < BLOCKS; number += 1)
    disk.content(nameOf(`k${number}`)).keep(0, BLOCK, () => BLOCK);

  await disk.close();

  expect(await groupFiles(directory)).toHaveLength(2);
});

it('those that found no room are not tried one by one on a disk that fails', async () => {
  const directory = join(await temporaryDirectory(), 'cache');
  await writeFile(directory, 'no directory');
  const warnings: string[] = [];
  const log: Log = { ...silentLog, warn: (message) => void warnings.push(message) };
  const disk = openCache(directory, { log, mostWaiting: 2 * SMALL.blockSize });
  for (let number = 0; number < BLOCKS; number += 1)
    disk.content(nameOf(`k${number}`)).keep(0, BLOCK, () => BLOCK);

  await disk.whenRoom(2 * SMALL.blockSize);
  for (let turn = 0; turn < 100; turn += 1) await settle();

  // That of the beginning, and those of what waited.
  expect(warnings.length).toBeGreaterThan(0);
  expect(warnings.length).toBeLessThanOrEqual(3);
});

it('those that come after the end are not kept', async () => {
  const directory = await temporaryDirectory();
  const clock = new ManualClock(Date.now());
  const disk = openCache(directory, { clock });
  const content = disk.content(nameOf('k'));
  await disk.close();

  content.keep(0, BLOCK, () => BLOCK);
  // What believed otherwise would ask again for ever.
  expect(await disk.whenRoom(1)).toBe(false);
  expect(await content.keepInTime(1, BLOCK)).toBe(false);
  clock.advance(100);
  for (let turn = 0; turn < 20; turn += 1) await settle();

  expect([await groupFiles(directory), clock.pendingTimers]).toEqual([[], 0]);
});

it('one file that came whole takes no more than a quarter of the cache: others are read more often', async () => {
  const content = openCache(await temporaryDirectory(), { limit: 4000 }).content(nameOf('k'));

  expect([content.takesWhole(1000), content.takesWhole(1001)]).toEqual([true, false]);
});
