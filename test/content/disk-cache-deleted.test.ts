/** Somebody deletes files of the cache to have their room, the mount itself perhaps, while mounts have them open. */
import { readdir, readlink, rm } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { GROUP, groupFiles, openCache, readOnce } from './disk-cache-for-test.ts';
import { Reading, SMALL } from './reading.ts';

/** What this process has open below `directory` though it has no name any more. */
async function deletedButOpen(directory: string): Promise<string[]> {
  const numbers = await readdir('/proc/self/fd');
  const targets = await Promise.all(numbers.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return targets.filter((target) => target.startsWith(directory) && target.endsWith('(deleted)'));
}

/** A mount has read a file out of its cache. */
async function readFromDisk(): Promise<{ directory: string; clock: ManualClock; reading: Reading }> {
  const directory = await temporaryDirectory();
  await readOnce(directory, 5000);
  const clock = new ManualClock(Date.now());
  const reading = await Reading.begin({ ...SMALL, size: 5000, disk: openCache(directory, { clock }) });
  expect(await reading.readsAll(SMALL.blockSize)).toBe(true);
  return { directory, clock, reading };
}

it.skipIf(process.platform !== 'linux')(
  'the room of a cache that was deleted while it is in use is free a minute later, and reads go on [read/kept]',
  async () => {
    const { directory, clock, reading } = await readFromDisk();

    await rm(directory, { recursive: true });
    expect(await deletedButOpen(directory)).not.toEqual([]);
    clock.advance(60_000);

    await expect.poll(() => deletedButOpen(directory)).toEqual([]);
    expect(await reading.readsAll(SMALL.blockSize)).toBe(true);
  },
);

it.skipIf(process.platform !== 'linux')(
  'it is free a minute later, too, when the mount had been in use for minutes before [read/kept]',
  async () => {
    const { directory, clock } = await readFromDisk();
    for (let minute = 0; minute < 3; minute += 1) {
      clock.advance(60_000);
      await expect.poll(() => clock.pendingTimers).toBe(1);
    }

    await rm(directory, { recursive: true });
    clock.advance(60_000);

    await expect.poll(() => deletedButOpen(directory)).toEqual([]);
  },
);

it.skipIf(process.platform !== 'linux')(
  'the room of what a full cache forgets is free at once, although the mount has read it just now [read/kept]',
  async () => {
    const directory = await temporaryDirectory();
    const limit = 25_000;
    const clock = new ManualClock(Date.now());
    const disk = openCache(directory, { limit, clock });
    const [block, into] = [Buffer.alloc(SMALL.blockSize, 'x'), Buffer.alloc(SMALL.blockSize)];
    const service = 'https://storage.example.com';
    const contentOf = (key: string) => disk.content({ service, bucket: 'b', key, etag: 'e', size: GROUP });
    for (const key of ['oldest', 'older', 'newest']) {
      await contentOf(key).keepInTime(0, block);
      clock.advance(100);
      await expect.poll(() => contentOf(key).has(0)).toBe(true);
      expect(await contentOf(key).read(0, into)).toBe(true);
    }
    expect(await groupFiles(directory)).toHaveLength(2);

    await expect.poll(() => deletedButOpen(directory)).toEqual([]);
    expect(contentOf('oldest').has(0)).toBe(false);
  },
);
