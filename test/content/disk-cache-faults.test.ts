/** What do others see of a disk cache: who may read it, what stands in the log when its disk fails, how much room it takes? */
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog, type Log } from '../../src/base/log.ts';
import { OpenDescriptor } from '../../src/content/open-descriptor.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { GROUP, groupFiles, openCache, readOnce } from './disk-cache-for-test.ts';
import { Reading, settle, SMALL } from './reading.ts';

const FAILED = 'the disk cache failed; what it has not is downloaded';
const NAME = { service: 'https://storage.example.com', bucket: 'b', key: 'k', etag: 'e', size: GROUP };
const BLOCK = Buffer.alloc(SMALL.blockSize, 'x');

it('nobody else on the machine may look into it', async () => {
  const directory = join(await temporaryDirectory(), 'deeper', 'cache');
  await readOnce(directory, 1000);
  const entries = await readdir(directory, { recursive: true });

  const modes = await Promise.all(
    ['..', '.', ...entries].map(async (name) => {
      const { mode } = await stat(join(directory, name));
      return (mode & 0o777).toString(8);
    }),
  );

  expect(modes).toEqual(['700', '700', '700', '600']);
});

it('counts what it has written', async () => {
  const directory = await temporaryDirectory();
  const disk = openCache(directory);
  await disk.content(NAME).keepInTime(0, BLOCK);
  await disk.close();

  const [file = ''] = await groupFiles(directory);

  expect(disk.used).toBe((await stat(file)).blocks * 512);
});

describe('a disk that fails', () => {
  let directory: string;
  let warnings: string[];
  let log: Log;

  beforeEach(async () => {
    directory = join(await temporaryDirectory(), 'cache');
    warnings = [];
    log = { ...silentLog, warn: (message) => void warnings.push(message) };
  });

  it('is told of when the mount begins, not only when something is to be kept', async () => {
    await writeFile(directory, 'no directory');

    openCache(directory, { log });

    await expect.poll(() => warnings).toEqual([FAILED]);
  });

  it('is left alone for a minute: not each block brings a line of the log; then blocks are kept again', async () => {
    const clock = new ManualClock(Date.now());
    const disk = openCache(directory, { log, clock });
    await expect.poll(() => isThere(directory)).toBe(true);
    await rm(directory, { recursive: true });
    await writeFile(directory, 'no directory');
    const content = disk.content(NAME);
    content.keep(0, BLOCK, () => undefined);
    clock.advance(100);
    await expect.poll(() => warnings).toEqual([FAILED]);
    await rm(directory);
    await mkdir(directory);

    content.keep(1, BLOCK, () => undefined);
    clock.advance(100);
    for (let turn = 0; turn < 20; turn += 1) await settle();
    expect([await disk.whenRoom(1), await groupFiles(directory)]).toEqual([false, []]);
    expect(await content.keepInTime(1, BLOCK)).toBe(false);
    clock.advance(60_000);
    expect(await content.keepInTime(2, BLOCK)).toBe(true);
    await disk.close();

    expect(warnings).toEqual([FAILED]);
    expect(await groupFiles(directory)).toHaveLength(1);
  });

  it('is not asked again and again for a file that it cannot open', async () => {
    const before = openCache(directory);
    await before.content(NAME).keepInTime(0, BLOCK);
    await before.close();
    const disk = openCache(directory, { log });
    const failed = Object.assign(new Error('input/output error'), { code: 'EIO' });
    const opening = vi.spyOn(OpenDescriptor, 'open').mockRejectedValue(failed);
    onTestFinished(() => void vi.restoreAllMocks());
    const content = disk.content(NAME);

    for (let time = 0; time < 3; time += 1) await content.look(0, 0);

    expect([content.isKnown(0, 0), content.has(0), opening.mock.calls.length]).toEqual([true, false, 1]);
    expect(warnings).toEqual([FAILED]);
  });

  it('takes no room for what it could not write', async () => {
    const clock = new ManualClock(Date.now());
    // For one block, as it is counted before it is written.
    const disk = openCache(directory, { log, clock, limit: 15_000 });
    await expect.poll(() => isThere(directory)).toBe(true);
    const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    vi.spyOn(OpenDescriptor, 'open').mockRejectedValueOnce(full);
    onTestFinished(() => void vi.restoreAllMocks());
    disk.content(NAME).keep(0, BLOCK, () => undefined);
    clock.advance(100);
    await expect.poll(() => warnings).toEqual([FAILED]);
    clock.advance(60_000);

    expect(await disk.content(NAME).keepInTime(0, BLOCK)).toBe(true);
    await disk.close();

    expect(await groupFiles(directory)).toHaveLength(1);
  });

  it('is not asked again for what it could not read, and that is told', async () => {
    await readOnce(directory, 60);
    const disk = openCache(directory, { log });
    const reading = await Reading.begin({ ...SMALL, size: 60, disk });
    const failed = Object.assign(new Error('input/output error'), { code: 'EIO' });
    const real = Object.getOwnPropertyDescriptor(OpenDescriptor.prototype, 'read')
      ?.value as OpenDescriptor['read'];
    let reads = 0;
    vi.spyOn(OpenDescriptor.prototype, 'read').mockImplementation(function (
      this: OpenDescriptor,
      into,
      position,
    ) {
      // Its header it can read.
      if (position === 0) return real.call(this, into, position);
      reads += 1;
      // Who comes back for it would do so for ever.
      if (reads > 10) return real.call(this, into, position);
      return Promise.reject(failed);
    });
    onTestFinished(() => void vi.restoreAllMocks());

    expect(await reading.readsAll()).toBe(true);

    expect([warnings, reads]).toEqual([[FAILED], 1]);
    expect(reading.service.gets).toHaveLength(1);
  });
});

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
