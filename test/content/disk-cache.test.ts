import { execFile } from 'node:child_process';
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { silentLog, type Log } from '../../src/base/log.ts';
import { HEADER_SIZE } from '../../src/content/disk-cache/group-format.ts';
import { ReadStream } from '../../src/content/read-stream.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { GROUP, groupFiles, openCache, readOnce } from './disk-cache-for-test.ts';
import { Reading, SMALL } from './reading.ts';

describe('a file that was read before the last unmount', () => {
  it.each([1, SMALL.blockSize, SMALL.sizes.firstWindow, 1000, 3 * GROUP + 5])(
    'of %i bytes costs no request',
    async (size) => {
      const directory = await temporaryDirectory();
      await readOnce(directory, size);

      const again = await readOnce(directory, size);

      expect(again.service.gets).toEqual([]);
    },
  );

  it('is read in large pieces and at odd places, too', async () => {
    const directory = await temporaryDirectory();
    await readOnce(directory, 3 * GROUP + 5);
    const again = await Reading.begin({ ...SMALL, size: 3 * GROUP + 5, disk: openCache(directory) });

    expect(await again.reads(0, 3 * GROUP + 5)).toBe(true);
    for (const [position, length] of [
      [7, 3],
      [GROUP - 9, 40],
      [3 * GROUP - 1, 100],
    ] as const) {
      expect(await again.reads(position, length, new ReadStream(0, 1024))).toBe(true);
    }
    expect(again.service.gets).toEqual([]);
  });

  it('brings its copy from there for an edit', async () => {
    const directory = await temporaryDirectory();
    await readOnce(directory, 1000);
    const again = await Reading.begin({ ...SMALL, size: 1000, disk: openCache(directory) });
    const copy = Buffer.alloc(1000);
    const target = {
      write: (data: Uint8Array, position: number) => {
        copy.set(data, position);
        return Promise.resolve();
      },
    };

    await again.reader.copyTo(target, { start: 0, end: 1000 });

    expect(Buffer.compare(copy, again.content)).toBe(0);
    expect(again.service.gets).toEqual([]);
  });

  it.each(['honoured', 'ignored', 'refused'] as const)(
    'of more bytes than the memory holds costs no request either, where Range is %s',
    async (treatment) => {
      const directory = await temporaryDirectory();
      const disk = openCache(directory);
      const first = await Reading.begin({ ...SMALL, size: 3 * GROUP + 5, cacheBytes: 1024, disk });
      first.service.treatment = treatment;
      expect(await first.readsAll(SMALL.blockSize)).toBe(true);
      void first.reader.dispose();
      // The temporary file goes when it is copied.
      await expect.poll(() => first.disk.left.size).toBe(0);
      await disk.close();

      const again = await readOnce(directory, 3 * GROUP + 5);

      expect(again.service.gets).toEqual([]);
    },
  );

  it('is downloaded again under another key, and when it has another ETag', async () => {
    const directory = await temporaryDirectory();
    await readOnce(directory, 60);
    const disk = openCache(directory);
    const renamed = await Reading.begin({ ...SMALL, size: 60, disk });
    renamed.reader.key = 'other';
    const replaced = await Reading.begin({ ...SMALL, size: 60, disk });
    replaced.version.etag = 'second';

    expect(await renamed.readsAll()).toBe(true);
    expect(await replaced.readsAll()).toBe(true);

    expect(renamed.service.gets).toHaveLength(1);
    expect(replaced.service.gets).toHaveLength(1);
  });

  it('is downloaded where blocks are missing, and only there', async () => {
    const directory = await temporaryDirectory();
    const disk = openCache(directory);
    const first = await Reading.begin({ ...SMALL, size: 1000, disk });
    await first.reads(512, 20, new ReadStream(0, 1024));
    await first.reads(800, 20, new ReadStream(0, 1024));
    await disk.close();

    const again = await readOnce(directory, 1000);

    expect(again.service.sent).toBe(1000 - 4 * SMALL.blockSize);
  });
});

describe('a cache that is damaged', () => {
  const damages: readonly [string, (file: string) => Promise<void>][] = [
    ['a byte of a block has turned', (file) => turnByte(file, HEADER_SIZE + 5)],
    ['a byte of the header has turned', (file) => turnByte(file, 20)],
    ['a checksum has turned', (file) => turnByte(file, 65)],
    ['the file is empty', (file) => writeFile(file, '')],
    [
      'the file ends early',
      async (file) => writeFile(file, (await readFile(file)).subarray(0, HEADER_SIZE + 20)),
    ],
    ['the file holds something else', (file) => writeFile(file, Buffer.alloc(4096, 'x'))],
    ['the file is gone', (file) => rm(file)],
    [
      'a directory is in its place',
      async (file) => {
        await rm(file);
        await mkdir(join(file, 'deeper'), { recursive: true });
      },
    ],
    [
      'a link that leads to itself is in its place',
      async (file) => {
        await rm(file);
        await symlink(file, file);
      },
    ],
    [
      'a pipe is in its place',
      async (file) => {
        await rm(file);
        await promisify(execFile)('mkfifo', [file]);
      },
    ],
    [
      'a file is in the place of its folder',
      async (file) => {
        await rm(dirname(file), { recursive: true });
        await writeFile(dirname(file), '');
      },
    ],
  ];

  it.each(damages)('never shows wrong bytes, and is mended: %s', async (_what, damage) => {
    const directory = await temporaryDirectory();
    await readOnce(directory, 60);
    for (const file of await groupFiles(directory)) await damage(file);

    const second = await readOnce(directory, 60);
    const third = await readOnce(directory, 60);

    expect(second.service.gets).toHaveLength(1);
    expect(third.service.gets).toEqual([]);
  });

  it('never shows wrong bytes where only a few of a block are read', async () => {
    const directory = await temporaryDirectory();
    await readOnce(directory, 3 * GROUP);
    for (const file of await groupFiles(directory)) await turnByte(file, HEADER_SIZE + 5);
    const again = await Reading.begin({ ...SMALL, size: 3 * GROUP, disk: openCache(directory) });

    for (let group = 0; group < 3; group += 1)
      expect(await again.reads(group * GROUP + 4, 3, new ReadStream(0, 1024))).toBe(true);
  });

  it('is told in the log, where a disk that fails shows itself like that', async () => {
    const directory = await temporaryDirectory();
    await readOnce(directory, 60);
    for (const file of await groupFiles(directory)) await turnByte(file, HEADER_SIZE + 5);
    const warnings: unknown[] = [];
    const log: Log = { ...silentLog, warn: (message, fields) => warnings.push([message, fields?.['key']]) };
    const again = await Reading.begin({ ...SMALL, size: 60, disk: openCache(directory, { log }) });

    expect(await again.readsAll()).toBe(true);

    expect(warnings).toEqual([['a block of the disk cache is damaged and is downloaded again', 'k']]);
  });

  it('costs requests, never an error: a file is where the cache was to be, and stays', async () => {
    const directory = join(await temporaryDirectory(), 'taken');
    await writeFile(directory, 'kept');
    const warnings: string[] = [];
    const log: Log = { ...silentLog, warn: (message) => warnings.push(message) };
    const disk = openCache(directory, { log });
    const again = await Reading.begin({ ...SMALL, size: 60, disk });

    expect(await again.readsAll()).toBe(true);
    await disk.close();

    expect(warnings.length).toBeGreaterThan(0);
    expect(await readFile(directory, 'utf8')).toBe('kept');
  });

  it('may be deleted while it is used', async () => {
    const directory = await temporaryDirectory();
    const disk = openCache(directory);
    const first = await Reading.begin({ ...SMALL, size: 1000, disk });
    await first.reads(0, 100);
    await rename(directory, `${directory}-away`);
    await rm(`${directory}-away`, { recursive: true });

    expect(await first.readsAll(SMALL.blockSize)).toBe(true);
  });

  it('keeps again what is read after it was deleted', async () => {
    const directory = await temporaryDirectory();
    const clock = new ManualClock(Date.now());
    const disk = openCache(directory, { clock });
    const first = await Reading.begin({ ...SMALL, size: 60, disk });
    await first.readsAll();
    // Nobody reads any more.
    clock.advance(100);
    await expect.poll(async () => (await groupFiles(directory)).length).toBe(1);
    await rm(directory, { recursive: true });
    clock.advance(2000);

    const second = await Reading.begin({ ...SMALL, size: 60, disk });
    second.reader.key = 'other';
    await second.readsAll();
    await disk.close();

    expect(await groupFiles(directory)).toHaveLength(1);
  });
});

it('a file whose parts land side by side is kept whole, when the disk is waited for', async () => {
  const directory = await temporaryDirectory();
  const [groups, blocks] = [6, 64];
  const name = {
    service: 'https://storage.example.com',
    bucket: 'b',
    key: 'k',
    etag: 'e',
    size: groups * GROUP,
  };
  const blockAt = (index: number): Buffer => Buffer.alloc(SMALL.blockSize, index);
  const disk = openCache(directory, { mostWaiting: 20 * SMALL.blockSize });
  for (let block = 0; block < blocks; block += 1) {
    for (let group = 0; group < groups; group += 1) {
      const index = group * blocks + block;
      expect(await disk.content(name).keepInTime(index, blockAt(index))).toBe(true);
    }
  }
  await disk.close();

  const later = openCache(directory).content(name);
  await later.look(0, groups * blocks - 1);

  for (let index = 0; index < groups * blocks; index += 1) {
    const into = Buffer.alloc(SMALL.blockSize);
    expect(await later.read(index, into)).toBe(true);
    expect(into.equals(blockAt(index))).toBe(true);
  }
});

it('blocks that came when too many waited are kept as soon as there is room, if memory still has them', async () => {
  const directory = await temporaryDirectory();
  const blocks = 10;
  const name = { service: 'https://storage.example.com', bucket: 'b', key: 'k', etag: 'e', size: GROUP };
  const blockAt = (index: number): Buffer => Buffer.alloc(SMALL.blockSize, index);
  const mostWaiting = 2 * SMALL.blockSize;
  const disk = openCache(directory, { mostWaiting });
  for (let index = 0; index < blocks; index += 1) {
    disk.content(name).keep(index, blockAt(index), () => (index % 2 === 0 ? blockAt(index) : undefined));
  }
  await disk.whenRoom(mostWaiting);
  await disk.close();

  const later = openCache(directory).content(name);
  await later.look(0, blocks - 1);

  const kept = Array.from({ length: blocks }, (_, index) => index).filter((index) => later.has(index));
  expect(kept).toEqual([0, 1, 2, 4, 6, 8]);
  for (const index of kept) {
    const into = Buffer.alloc(SMALL.blockSize);
    expect(await later.read(index, into)).toBe(true);
    expect(into.equals(blockAt(index))).toBe(true);
  }
});

describe('two processes with one cache', () => {
  it('write the same files side by side, and both read them', async () => {
    const directory = await temporaryDirectory();
    const readings = await Promise.all(
      [1, 2].map(() => Reading.begin({ ...SMALL, size: 3 * GROUP, disk: openCache(directory) })),
    );

    await Promise.all(readings.map((reading) => reading.readsAll(SMALL.blockSize)));
    for (const reading of readings) expect(await reading.hasAll()).toBe(true);

    const later = await readOnce(directory, 3 * GROUP);
    expect(Buffer.compare(later.content, readings[0]?.content ?? Buffer.alloc(0))).toBe(0);
  });
});

async function turnByte(file: string, position: number): Promise<void> {
  const bytes = await readFile(file);
  bytes[position] = (bytes[position] ?? 0) ^ 0xff;
  await writeFile(file, bytes);
}
