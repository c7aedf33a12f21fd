/** A disk cache in a directory of the test's own, and a file that is read through it. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { silentLog, type Log } from '../../src/base/log.ts';
import { BlockMemory } from '../../src/base/block-memory.ts';
import { DiskCache } from '../../src/content/disk-cache/disk-cache.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { Reading, SMALL } from './reading.ts';

export const GROUP = 64 * SMALL.blockSize;

export function openCache(
  directory: string,
  {
    limit = 1024 ** 3,
    log = silentLog,
    mostWaiting = 32 * 1024 * 1024,
    clock = new ManualClock(Date.now()),
  }: { limit?: number; log?: Log; mostWaiting?: number; clock?: ManualClock } = {},
): DiskCache {
  const cache = new DiskCache({
    directory,
    limit,
    memory: new BlockMemory(SMALL.blockSize),
    mostWaiting,
    clock,
    log,
  });
  cache.start();
  onTestFinished(() => cache.close());
  return cache;
}

/** One mount's reading of a file of `size` bytes, and what it left on the disk. */
export async function readOnce(directory: string, size: number, limit?: number): Promise<Reading> {
  const disk = openCache(directory, limit === undefined ? {} : { limit });
  const reading = await Reading.begin({ ...SMALL, size, disk });
  expect(await reading.readsAll(SMALL.blockSize)).toBe(true);
  await disk.close();
  return reading;
}

export async function groupFiles(directory: string): Promise<string[]> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  return names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
