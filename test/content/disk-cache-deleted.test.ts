/** Somebody deletes the cache to have its room, while mounts have its files open. */
import { readdir, readlink, rm } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { openCache, readOnce } from './disk-cache-for-test.ts';
import { Reading, SMALL } from './reading.ts';

/** What this process has open below `directory` though it has no name any more. */
async function deletedButOpen(directory: string): Promise<string[]> {
  const numbers = await readdir('/proc/self/fd');
  const targets = await Promise.all(numbers.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return targets.filter((target) => target.startsWith(directory) && target.endsWith('(deleted)'));
}

it.skipIf(process.platform !== 'linux')(
  'the room of a cache that was deleted while it is in use is free a minute later, and reads go on [read/kept]',
  async () => {
    const directory = await temporaryDirectory();
    await readOnce(directory, 5000);
    const clock = new ManualClock(Date.now());
    const reading = await Reading.begin({ ...SMALL, size: 5000, disk: openCache(directory, { clock }) });
    expect(await reading.readsAll(SMALL.blockSize)).toBe(true);

    await rm(directory, { recursive: true });
    expect(await deletedButOpen(directory)).not.toEqual([]);
    clock.advance(60_000);

    await expect.poll(() => deletedButOpen(directory)).toEqual([]);
    expect(await reading.readsAll(SMALL.blockSize)).toBe(true);
  },
);
