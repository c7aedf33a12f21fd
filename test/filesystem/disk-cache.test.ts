import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { uploadOf } from '../support/embedded-service.ts';
import { nodeLocalFiles } from '../../src/content/local-files.ts';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { openForTest, readFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { LogForTest } from '../support/program-acts.ts';

const LARGE = patternedBytes(3_000_000);

/** A bucket of two files, whose listing is known. */
async function mountWith(
  cacheDirectory: string,
  cache: 'off' | 'memory' | 'disk',
): Promise<FileSystemForTest> {
  const opened = await openForTest({ settings: { cache, cacheDirectory } });
  await opened.direct.putObject(opened.bucket, 'large', uploadOf(LARGE));
  await opened.direct.putObject(opened.bucket, 'small', uploadOf('small'));
  await list(opened.fs);
  opened.asked();
  return opened;
}

/** Another mount of the same bucket, with the same cache, whose listing is known. */
async function remount(before: FileSystemForTest, cacheDirectory: string): Promise<FileSystemOperations> {
  await before.mounted.close({ patience: 60_000 });
  const settings = { cache: 'disk', cacheDirectory } as const;
  const { operations } = await mountOver(await diskNow(before), before, { settings });
  await list(operations);
  before.asked();
  return operations;
}

async function list(fs: FileSystemOperations): Promise<void> {
  for await (const batch of fs.readDirectory('/')) expect(batch.length).toBeGreaterThan(0);
}

const gets = (asked: readonly string[]): string[] => asked.filter((line) => line.startsWith('getObject'));

describe('[read/kept] a file that was read before', () => {
  it('costs no request after a remount, as long as it is the same', async () => {
    const directory = await temporaryDirectory();
    const before = await mountWith(directory, 'disk');
    expect(Buffer.compare(await readFile(before.fs, '/large'), LARGE)).toBe(0);
    expect((await readFile(before.fs, '/small')).toString()).toBe('small');

    const after = await remount(before, directory);

    expect(Buffer.compare(await readFile(after, '/large'), LARGE)).toBe(0);
    expect((await readFile(after, '/small')).toString()).toBe('small');
    expect(before.asked()).toEqual([]);
  });

  it('is read anew when somebody has replaced it by bytes of the same size', async () => {
    const directory = await temporaryDirectory();
    const before = await mountWith(directory, 'disk');
    await readFile(before.fs, '/small');
    const after = await remount(before, directory);
    await before.foreignWrite('small', 'other');
    before.clock.advance(60_000);

    expect((await readFile(after, '/small')).toString()).toBe('other');
  });

  it('is kept until the unmount with cache=memory, and leaves nothing on the disk', async () => {
    const directory = await temporaryDirectory();
    const { fs, asked } = await mountWith(directory, 'memory');
    await readFile(fs, '/small');
    asked();

    await readFile(fs, '/small');

    expect(asked()).toEqual([]);
    expect(await readdir(directory)).toEqual([]);
  });

  it('is kept with cache=off only while a program has it open', async () => {
    const directory = await temporaryDirectory();
    const { fs, asked } = await mountWith(directory, 'off');
    const handle = await fs.open('/small', { read: true, write: false, truncate: false });
    for (let times = 0; times < 2; times += 1) expect(await fs.read(handle, new Uint8Array(5), 0)).toBe(5);
    expect(gets(asked())).toHaveLength(1);
    await fs.release(handle);

    await readFile(fs, '/small');

    expect(gets(asked())).toHaveLength(1);
    expect(await readdir(directory)).toEqual([]);
  });
});

describe('[read/kept] a file that is edited', () => {
  it('takes what it keeps from the disk', async () => {
    const directory = await temporaryDirectory();
    const before = await mountWith(directory, 'disk');
    await readFile(before.fs, '/large');
    const fs = await remount(before, directory);

    const handle = await fs.open('/large', { read: true, write: true, truncate: false });
    await fs.write(handle, Buffer.from('edited'), 0);
    await fs.flush(handle);
    await fs.release(handle);

    expect(gets(before.asked())).toEqual([]);
    const stored = await before.stored('large');
    expect(stored.subarray(0, 6).toString()).toBe('edited');
    expect(Buffer.compare(stored.subarray(6), LARGE.subarray(6))).toBe(0);
  });
});

describe('a file that comes whole and finds no room on the disk', () => {
  it.each([
    ['--cache-size allows no more', { cacheSize: 1_000_000 }, {}],
    [
      'a twentieth of the disk is to stay free',
      {},
      { space: () => Promise.resolve({ free: 51, total: 1000 }) },
    ],
  ])('is read nonetheless, and the log says why it is not kept: %s', async (reason, size, disk) => {
    const log = new LogForTest();
    const { fs, foreignWrite } = await openForTest({
      store: { behaviours: { range: 'ignored' } },
      settings: { cache: 'disk', memoryLimit: 4_000_000, ...size },
      localFiles: { ...nodeLocalFiles, ...disk },
      log,
    });
    await foreignWrite('large', LARGE);

    expect((await readFile(fs, '/large')).equals(LARGE)).toBe(true);

    const [line] = log.about('cannot keep a downloaded file on the local disk');
    expect(line?.fields).toEqual({ reason: `cannot write a temporary file: there is no room: ${reason}` });
  });
});

describe('[read/rest] a file that nobody reads for a while', () => {
  it.each([
    ['disk', 0],
    ['memory', LARGE.length],
  ] as const)(
    'is read again without a download; with cache=%s %i bytes of it stay in memory',
    async (cache, kept) => {
      const { fs, mounted, clock, asked } = await mountWith(await temporaryDirectory(), cache);
      await readFile(fs, '/large');
      // What is read waits for the disk until nobody reads.
      clock.advance(100);
      const isWritten = (): boolean => (mounted.counts().onDisk ?? LARGE.length) >= LARGE.length;
      await expect.poll(isWritten).toBe(true);
      asked();

      clock.advance(150_000);

      expect(mounted.counts().inMemory).toBe(kept);
      expect(Buffer.compare(await readFile(fs, '/large'), LARGE)).toBe(0);
      expect(gets(asked())).toEqual([]);
    },
  );
});
