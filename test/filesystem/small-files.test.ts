/** What small files cost: one request each, and none of them waited for when a program reads a folder. */
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { FIRST_WINDOW } from '../../src/content/read-plan.ts';
import type { FileHandle, FileSystemOperations } from '../../src/filesystem/operations.ts';
import type { FileSystemSettings } from '../../src/filesystem/settings.ts';
import type { ObjectService } from '../../src/service/object-service.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest, readAll, readFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';

const KIB = 1024;
const TTL = 10_000;

const contentOf = (index: number, size: number): Uint8Array => patternedBytes(size, index);
const nameAt = (index: number): string => `f${String(index).padStart(5, '0')}`;

interface FolderOptions {
  readonly size?: number;
  readonly name?: (index: number) => string;
  readonly settings?: Partial<FileSystemSettings>;
  readonly between?: (service: ObjectService) => ObjectService;
}

/** A listed folder of files, and nothing asked yet. */
async function folderOf(
  count: number,
  { size = 4 * KIB, name = nameAt, ...options }: FolderOptions = {},
): Promise<FileSystemForTest> {
  const opened = await openForTest(options);
  for (let index = 0; index < count; index += 1) {
    await opened.foreignWrite(`d/${name(index)}`, contentOf(index, size));
  }
  await names(opened.fs, '/');
  await names(opened.fs, '/d');
  opened.asked();
  return opened;
}

/** Until nothing is on its way any more. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function reads(fs: FileSystemOperations, index: number, size = 4 * KIB): Promise<void> {
  const bytes = await readFile(fs, `/d/${nameAt(index)}`);
  expect(Buffer.compare(bytes, contentOf(index, size))).toBe(0);
}

describe('opening a small file', () => {
  it('sends its GET, whose headers confirm the version: reading it costs nothing more [fresh/open]', async () => {
    const { fs, asked, clock } = await folderOf(1100);
    clock.advance(TTL);

    const handle = await fs.open('/d/f00007', { read: true, write: false, truncate: false });
    const atOpen = asked();
    const bytes = await readAll(fs, handle);
    await fs.release(handle);

    expect(atOpen).toEqual(['getObject d/f00007']);
    expect(Buffer.compare(bytes, contentOf(7, 4 * KIB))).toBe(0);
    expect(asked()).toEqual([]);
  });

  it('that somebody has replaced shows the new one at once [fresh/open]', async () => {
    const { fs, foreignWrite, clock } = await folderOf(3);
    await reads(fs, 1);
    clock.advance(TTL);
    await foreignWrite('d/f00000', 'other');
    await foreignWrite('d/f00001', 'another');

    expect((await readFile(fs, '/d/f00000')).toString()).toBe('other');
    expect((await readFile(fs, '/d/f00001')).toString()).toBe('another');
  });

  it('that is gone says so', async () => {
    const { fs, direct, bucket, clock } = await folderOf(3);
    clock.advance(TTL);
    await direct.deleteObject(bucket, 'd/f00001');

    await expect(readFile(fs, '/d/f00001')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('while the service fails is refused by that one GET, and no HEAD follows', async () => {
    const { fs, asked, clock, faults } = await folderOf(3);
    clock.advance(TTL);
    faults.add({ operation: 'getObject', fault: { kind: 'status', status: 403 } });

    await expect(readFile(fs, '/d/f00001')).rejects.toMatchObject({ code: 'EACCES' });
    expect(asked()).toEqual(['getObject d/f00001']);
    await reads(fs, 1);
  });

  it('to write it, or a large one, fetches nothing', async () => {
    const { fs, asked, foreignWrite } = await folderOf(3);
    await foreignWrite('large', patternedBytes(FIRST_WINDOW + 1));
    await names(fs, '/d');
    asked();

    const handle = await fs.open('/d/f00001', { read: true, write: true, truncate: false });
    await settled();
    await fs.release(handle);

    expect(asked()).toEqual([]);
  });
});

describe('a program that reads the files of a folder one after another', () => {
  it('has the next ones fetched before it asks: one GET a file, and none twice [read/siblings]', async () => {
    const { fs, asked } = await folderOf(120);
    const ahead: number[] = [];

    for (let index = 0; index < 120; index += 1) {
      await reads(fs, index);
      await settled();
      if ([0, 1, 2, 3, 10, 40].includes(index)) ahead.push(asked().length);
      else expect(new Set(asked()).size).toBeLessThanOrEqual(4);
    }

    // The file itself; itself and two more; then as many as it used, and one more.
    expect(ahead.slice(0, 4)).toEqual([1, 3, 2, 2]);
  });

  it('asks for each file exactly once in all [read/siblings]', async () => {
    const { fs, asked } = await folderOf(200);

    for (let index = 0; index < 200; index += 1) await reads(fs, index);
    await settled();

    expect(asked().sort()).toEqual(Array.from({ length: 200 }, (_, index) => `getObject d/${nameAt(index)}`));
  });

  it('slowly asks for each file exactly once, too: none is fetched so early that it has to be confirmed [read/siblings]', async () => {
    const { fs, asked, clock } = await folderOf(1100);

    for (let index = 0; index < 60; index += 1) {
      await reads(fs, index);
      await settled();
      clock.advance(TTL / 5);
    }

    // Of the next ones two were fetched, too.
    const files = asked().filter(
      (line) => line.startsWith('headObject') || line < `getObject d/${nameAt(60)}`,
    );
    expect(files.sort()).toEqual(Array.from({ length: 60 }, (_, index) => `getObject d/${nameAt(index)}`));
  });

  it('with many helpers at a time, which open neighbours in the wrong order, asks no more [read/siblings]', async () => {
    const { fs, asked } = await folderOf(200);

    for (let first = 0; first < 200; first += 8) {
      const group = [3, 0, 1, 2, 6, 5, 4, 7].map((offset) => reads(fs, first + offset));
      await Promise.all(group);
    }
    await settled();

    expect(asked().sort()).toEqual(Array.from({ length: 200 }, (_, index) => `getObject d/${nameAt(index)}`));
  });

  it('in the order of people, not of the service, has them fetched, too', async () => {
    const name = (index: number): string => `${index % 2 === 0 ? 'a' : 'B'}${String(index).padStart(3, '0')}`;
    const { fs, asked } = await folderOf(60, { name });
    const sorted = Array.from({ length: 60 }, (_, index) => name(index)).sort(
      new Intl.Collator('en').compare,
    );

    for (const each of sorted.slice(0, 6)) await readFile(fs, `/d/${each}`);
    await settled();

    const next = asked().slice(6);
    expect(next).toContain(`getObject d/${sorted[6] ?? ''}`);
    expect(next).toContain(`getObject d/${sorted[7] ?? ''}`);
  });

  it('and stops after three has less than 1 MiB fetched in vain [read/siblings]', async () => {
    for (const size of [4 * KIB, 60 * KIB, 200 * KIB, 900 * KIB]) {
      const { fs, asked } = await folderOf(60, { size });

      for (let index = 0; index < 3; index += 1) await reads(fs, index, size);
      await settled();

      expect((asked().length - 3) * size).toBeLessThan(1024 * KIB);
    }
  });

  it('and leaves files out has nothing more fetched from the first wrong guess on [read/siblings]', async () => {
    const { fs, asked } = await folderOf(200);
    for (let index = 0; index < 6; index += 1) await reads(fs, index);
    await settled();
    asked();

    for (let index = 7; index < 200; index += 2) {
      await reads(fs, index);
      await settled();
    }

    const read = Array.from({ length: 97 }, (_, k) => `getObject d/${nameAt(7 + 2 * k)}`);
    expect(asked().filter((line) => !read.includes(line))).toEqual([]);
  });

  it('goes on in the next folder as it was, from the first file on', async () => {
    const opened = await folderOf(30);
    for (let index = 0; index < 30; index += 1) {
      await opened.foreignWrite(`e/${nameAt(index)}`, contentOf(index, 4 * KIB));
    }
    opened.mounted.refresh('/');
    await names(opened.fs, '/e');
    for (let index = 0; index < 30; index += 1) await reads(opened.fs, index);
    opened.asked();

    await readFile(opened.fs, `/e/${nameAt(0)}`);
    await settled();

    expect(opened.asked().length).toBeGreaterThan(3);
  });

  it('and turns out to do something else reads what is still on its way with no second GET [read/siblings]', async () => {
    const all = Array.from({ length: 60 }, (_, index) => index);
    let arrival: Promise<void> = Promise.resolve();
    let arrive = (): void => undefined;
    let onTheirWay = 0;
    const { fs, mounted, clock, asked, foreignWrite } = await folderOf(60, {
      between: (service) =>
        new InterceptedService(service, async (_call, proceed) => {
          onTheirWay += 1;
          const answer = await proceed();
          await arrival;
          onTheirWay -= 1;
          return answer;
        }),
    });
    for (const index of all) await foreignWrite(`e/${nameAt(index)}`, contentOf(index, 4 * KIB));
    mounted.refresh('/');
    clock.advance(1);
    await names(fs, '/e');
    for (const index of all) await reads(fs, index);
    await settled();
    asked();

    // What it guessed when the first file was opened is on its way when the program leaves files out.
    arrival = new Promise((resolve) => (arrive = resolve));
    const open = (index: number): Promise<FileHandle> =>
      fs.open(`/e/${nameAt(index)}`, { read: true, write: false, truncate: false });
    const opened = [await open(0)];
    await settled();
    for (const index of [4, 5, 6, 7, 8, 9, 10, 11, 12]) opened.push(await open(index));
    await settled();
    const held = onTheirWay;
    arrive();
    for (const index of all) {
      expect(Buffer.compare(await readFile(fs, `/e/${nameAt(index)}`), contentOf(index, 4 * KIB))).toBe(0);
    }
    for (const handle of opened) await fs.release(handle);

    expect(held).toBeGreaterThan(4);
    expect(asked().sort()).toEqual(all.map((index) => `getObject e/${nameAt(index)}`));
  });

  it('sees the version that was there when it was fetched, no longer than the TTL [fresh/open]', async () => {
    const { fs, asked, foreignWrite, clock } = await folderOf(1100);
    clock.advance(TTL - 1000);
    for (let index = 0; index < 6; index += 1) await reads(fs, index);
    await settled();
    clock.advance(2000);
    asked();

    // Listed longer ago than the TTL, fetched within it.
    await reads(fs, 6);
    const withinTtl = asked().filter((line) => line.endsWith('f00006'));
    await foreignWrite('d/f00007', 'other');
    clock.advance(TTL);

    expect(withinTtl).toEqual([]);
    expect((await readFile(fs, '/d/f00007')).toString()).toBe('other');
  });

  it('reads its own change of a file that was fetched before', async () => {
    const { fs } = await folderOf(20);
    for (let index = 0; index < 4; index += 1) await reads(fs, index);
    await settled();
    const handle = await fs.open('/d/f00004', { read: true, write: true, truncate: true });
    await fs.write(handle, Buffer.from('mine'), 0);
    await fs.flush(handle);
    await fs.release(handle);

    expect((await readFile(fs, '/d/f00004')).toString()).toBe('mine');
  });

  it('which the service refuses has few of them asked for twice [read/siblings]', async () => {
    const { fs, asked, faults } = await folderOf(60);
    faults.add({ operation: 'getObject', times: Infinity, fault: { kind: 'status', status: 403 } });

    for (let index = 0; index < 60; index += 1) {
      await expect(reads(fs, index)).rejects.toMatchObject({ code: 'EACCES' });
      await settled();
    }

    expect(asked().length).toBeLessThan(65);
  });

  it('and finds one replaced that was fetched ahead asks no more for the old version', async () => {
    const { fs, asked, foreignWrite } = await folderOf(10);
    await foreignWrite('d/f00002', 'other');
    for (const index of [0, 1]) await reads(fs, index);
    await settled();
    asked();

    expect((await readFile(fs, '/d/f00002')).toString()).toBe('other');
    expect(asked().filter((line) => line.endsWith('f00002'))).toEqual([
      'headObject d/f00002',
      'getObject d/f00002',
    ]);
  });

  it('has it in the log when what was asked for ahead fails as nobody expects, and reads on', async () => {
    const messages: string[] = [];
    const warn = (message: string): void => {
      messages.push(message);
    };
    const failing = new Set([nameAt(2), nameAt(3)]);
    const { fs, foreignWrite } = await openForTest({
      log: { ...silentLog, warn },
      between: (service) =>
        new InterceptedService(service, async (call, proceed) => {
          if (call.operation === 'getObject' && failing.delete(call.key ?? ''))
            throw new TypeError('a fault');
          return proceed();
        }),
    });
    for (let index = 0; index < 4; index += 1) await foreignWrite(nameAt(index), contentOf(index, KIB));
    await names(fs, '/');
    for (const index of [0, 1]) await readFile(fs, `/${nameAt(index)}`);
    await settled();
    const read = await readFile(fs, `/${nameAt(2)}`);

    expect(messages).toContain('a file could not be read ahead');
    expect(Buffer.compare(read, contentOf(2, KIB))).toBe(0);
  });

  it('and does not come back leaves nothing in memory for long', async () => {
    const settings = { cache: 'off', metadataTtl: 120_000 } as const;
    const { fs, asked, clock } = await folderOf(60, { settings });
    for (let index = 0; index < 6; index += 1) await reads(fs, index);
    await settled();
    asked();

    await reads(fs, 6);
    const atOnce = asked().filter((line) => line.endsWith('f00006'));
    await settled();
    clock.advance(30_000);
    await reads(fs, 7);
    const later = asked().filter((line) => line.endsWith('f00007'));

    expect([atOnce, later]).toEqual([[], ['getObject d/f00007']]);
  });
});
