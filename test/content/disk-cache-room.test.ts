/** What does a disk cache keep when it is full? */
import { stat, utimes, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { CacheDirectory } from '../../src/content/disk-cache/cache-directory.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { groupFiles, openCache, readOnce } from './disk-cache-for-test.ts';
import { Reading, SMALL } from './reading.ts';

async function bytesOnDisk(directory: string): Promise<number> {
  const all = await Promise.all((await groupFiles(directory)).map((file) => stat(file)));
  return all.reduce((sum, { blocks }) => sum + blocks * 512, 0);
}

/** Two files' room, by the disk's blocks, and a little. */
const LIMIT = 25_000;

/** A mount begins, reads all of the file at `key`, and ends. Returns how many GETs that took. */
async function readIn(directory: string, key: string): Promise<number> {
  const disk = openCache(directory, { limit: LIMIT });
  const reading = await Reading.begin({ ...SMALL, size: 60, disk });
  reading.reader.key = key;
  await reading.readsAll();
  await disk.close();
  return reading.service.gets.length;
}

describe('a cache that is full', () => {
  it('never takes more than its limit, and forgets what was used longest ago', async () => {
    const directory = await temporaryDirectory();
    for (const [number, key] of ['oldest', 'older', 'newest'].entries()) {
      await readIn(directory, key);
      expect(await bytesOnDisk(directory)).toBeLessThanOrEqual(LIMIT);
      // Times of files have the precision of the machine's clock, and the injected one stands still.
      const ages = new Date(Date.now() - (10 - number) * 60_000);
      for (const file of await groupFiles(directory)) {
        if ((await stat(file)).mtimeMs > Date.now() - 30_000) await utimes(file, ages, ages);
      }
    }

    const disk = openCache(directory, { limit: LIMIT });
    const costs: Record<string, number> = {};
    for (const key of ['newest', 'older', 'oldest']) {
      const reading = await Reading.begin({ ...SMALL, size: 60, disk });
      reading.reader.key = key;
      await reading.readsAll();
      costs[key] = reading.service.gets.length;
    }
    expect(costs).toEqual({ newest: 0, older: 0, oldest: 1 });
  });

  it('forgets first what was used while a clock was wrong, by years', async () => {
    const directory = await temporaryDirectory();
    const readKey = (key: string): Promise<number> => readIn(directory, key);
    await readKey('from later');
    const later = new Date(Date.now() + 5 * 365 * 24 * 3600_000);
    for (const file of await groupFiles(directory)) await utimes(file, later, later);
    await readKey('one');

    await readKey('another');

    expect([await readKey('one'), await readKey('another')]).toEqual([0, 0]);
  });

  it('keeps what is read again, be it from the disk, for longer than what is not', async () => {
    const directory = await temporaryDirectory();
    const readKey = (key: string): Promise<number> => readIn(directory, key);
    await readKey('older');
    const [older = ''] = await groupFiles(directory);
    await readKey('newer');
    const [newer = ''] = (await groupFiles(directory)).filter((file) => file !== older);
    const at = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);
    await utimes(older, at(30), at(30));
    await utimes(newer, at(20), at(20));
    expect(await readKey('older')).toBe(0);

    await readKey('another');

    expect([await readKey('older'), await readKey('newer')]).toEqual([0, 1]);
  });

  it('gives way to what a program writes, which cannot be had again', async () => {
    const directory = await temporaryDirectory();
    await readOnce(directory, 1000);
    const disk = openCache(directory);
    await expect.poll(() => disk.used).toBeGreaterThan(0);

    await disk.shrinkTo(-1);

    expect([await groupFiles(directory), disk.used]).toEqual([[], 0]);
  });

  it('takes little more than its limit also when two mounts fill it side by side', async () => {
    const path = await temporaryDirectory();
    const [files, bytes, limit] = [160, 8192, 400_000];
    const parts = { path, clock: new ManualClock(Date.now()), deleted: () => undefined };
    const mounts = [new CacheDirectory(parts), new CacheDirectory(parts)];
    await Promise.all(mounts.map((mount) => mount.prepare()));
    let most = 0;

    for (let file = 0; file < files; file += 1) {
      for (const [number, mount] of mounts.entries()) {
        const name = `${String(file).padStart(3, '0')}.${number}`;
        expect(await mount.reserve(bytes, limit)).toBe(true);
        await mount.makeFolderOf(name);
        await writeFile(mount.pathOf(name), Buffer.alloc(bytes, 'x'));
        mount.settle(bytes, bytes);
        most = Math.max(most, await bytesOnDisk(path));
      }
    }

    expect(most).toBeLessThanOrEqual(1.25 * limit);
  });

  it('keeps nothing that is larger than all of it', async () => {
    const directory = await temporaryDirectory();

    await readOnce(directory, 1000, 500);

    expect(await groupFiles(directory)).toEqual([]);
  });
});
