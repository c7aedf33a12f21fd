/** SEMANTICS: reading through every treatment of Range, cut bodies, and versions that change in mid-read. */
import { describe, expect, it } from 'vitest';
import { BLOCK_SIZE } from '../../src/content/block-cache.ts';
import { FIRST_WINDOW, PART } from '../../src/content/read-plan.ts';
import type { Behaviours } from '../../src/server/behaviours.ts';
import { openForTest, readAll, readFile } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { openToRead, textAt } from '../support/program-acts.ts';
import { entriesOf } from '../support/directory-entries.ts';
import { holdNext } from '../support/hold-next.ts';
import { LendingRoom } from '../support/lending-room.ts';

const SIZE = FIRST_WINDOW + PART + 12_345;
const treatments: Behaviours['range'][] = ['honoured', 'ignored', 'refused', 'short', 'crumbs'];

describe.each(treatments)('where Range is %s', (range) => {
  it('reads a large file in order, and again from the cache', async () => {
    const { fs, foreignWrite, asked } = await openForTest({ store: { behaviours: { range } } });
    const bytes = patternedBytes(SIZE);
    await foreignWrite('f', bytes);

    expect((await readFile(fs, '/f')).equals(bytes)).toBe(true);
    asked();
    expect((await readFile(fs, '/f')).equals(bytes)).toBe(true);

    expect(asked()).toEqual([]);
  });

  it('reads here and there', async () => {
    const { fs, foreignWrite } = await openForTest({ store: { behaviours: { range } } });
    const bytes = patternedBytes(SIZE);
    await foreignWrite('f', bytes);
    const handle = await openToRead(fs, '/f');

    for (const position of [SIZE - 7, 0, 5_000_000, 1, FIRST_WINDOW - 5, 5_000_050]) {
      const into = Buffer.alloc(100);
      const count = await fs.read(handle, into, position);
      expect(into.subarray(0, count).equals(bytes.subarray(position, position + 100))).toBe(true);
    }

    expect(await fs.read(handle, Buffer.alloc(10), SIZE)).toBe(0);
    expect(await fs.read(handle, Buffer.alloc(10), SIZE + 1000)).toBe(0);
    await fs.release(handle);
  });

  it('goes on where a body was cut [read/cut]', async () => {
    const { fs, foreignWrite, faults } = await openForTest({ store: { behaviours: { range } } });
    const bytes = patternedBytes(SIZE);
    await foreignWrite('f', bytes);
    for (const afterBytes of [0, 1, 300_000])
      faults.add({ operation: 'getObject', fault: { kind: 'cut', afterBytes } });

    expect((await readFile(fs, '/f')).equals(bytes)).toBe(true);
  });

  it('is ESTALE, and never wrong bytes, when the ETag changes in mid-read [fresh/no-mixing]', async () => {
    const { fs, foreignWrite, faults } = await openForTest({ store: { behaviours: { range } } });
    const bytes = patternedBytes(SIZE);
    await foreignWrite('f', bytes);
    const handle = await openToRead(fs, '/f');
    faults.add({ operation: 'getObject', fault: { kind: 'cut', afterBytes: 200_000 } });
    faults.add({
      operation: 'getObject',
      times: Infinity,
      fault: { kind: 'changed-etag', etag: 'f'.repeat(32) },
    });

    await expect(readAll(fs, handle)).rejects.toMatchObject({ code: 'ESTALE' });
    await fs.release(handle);
  });
});

describe('a read that fails', () => {
  it('is EIO when bodies are always cut, and the next one succeeds', async () => {
    const { fs, foreignWrite, faults } = await openForTest();
    await foreignWrite('f', 'content');
    const handle = await openToRead(fs, '/f');
    faults.add({ operation: 'getObject', times: Infinity, fault: { kind: 'cut', afterBytes: 0 } });

    await expect(textAt(fs, handle)).rejects.toMatchObject({ code: 'EIO' });
    faults.clear();

    expect(await textAt(fs, handle)).toBe('content');
    await fs.release(handle);
  });

  it.each([
    ['stalls', { kind: 'stall', afterBytes: 0 } as const, 'ETIMEDOUT'],
    ['is denied', { kind: 'status', status: 403 } as const, 'EACCES'],
    ['is 410', { kind: 'status', status: 410 } as const, 'EIO'],
  ])(
    'when it %s tells its own error, and the file is still there [errors/missing]',
    async (_what, fault, code) => {
      const { fs, foreignWrite, faults } = await openForTest();
      await foreignWrite('f', 'content');
      const handle = await openToRead(fs, '/f');
      faults.add({ operation: 'getObject', times: Infinity, fault });

      await expect(textAt(fs, handle)).rejects.toMatchObject({ code });

      expect((await fs.getAttributes('/f')).size).toBe(7);
      await fs.release(handle);
    },
  );

  it('needs a handle for reading', async () => {
    const { fs, foreignWrite } = await openForTest();
    await foreignWrite('f', 'x');
    await foreignWrite('d/x', '');
    const writer = await fs.open('/f', { read: false, write: true, truncate: false });
    const reader = await openToRead(fs, '/f');

    await expect(fs.read(writer, Buffer.alloc(1), 0)).rejects.toMatchObject({ code: 'EBADF' });
    await expect(fs.write(reader, Buffer.alloc(1), 0)).rejects.toMatchObject({ code: 'EBADF' });
    await expect(openToRead(fs, '/d')).rejects.toMatchObject({ code: 'EISDIR' });
    await expect(openToRead(fs, '/absent')).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(openToRead(fs, '/f/x')).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(entriesOf(fs, '/f')).rejects.toMatchObject({ code: 'ENOTDIR' });
    await fs.release(writer);
    await fs.release(reader);
  });
});

it('a reader goes on with the new version when a program here replaced the one it was fetching', async () => {
  const { fs, foreignWrite, service } = await openForTest();
  await foreignWrite('f', 'x'.repeat(100));
  const reader = await openToRead(fs, '/f');
  const download = holdNext(service, 'getObject');

  const reading = textAt(fs, reader);
  await download.begun;
  const writer = await fs.open('/f', { read: false, write: true, truncate: true });
  await fs.write(writer, Buffer.from('new'), 0);
  await fs.flush(writer);
  await fs.release(writer);
  download.letGo();

  expect(await reading).toBe('new');
  await fs.release(reader);
});

it('nothing that it had found of the old version is lent to it then [fresh/no-mixing]', async () => {
  const { fs, foreignWrite, service } = await openForTest();
  const bytes = patternedBytes(SIZE);
  await foreignWrite('f', bytes);
  const reader = await openToRead(fs, '/f');
  const before = new LendingRoom(2 * BLOCK_SIZE);
  await fs.read(reader, before, 0);
  const download = holdNext(service, 'getObject');
  const room = new LendingRoom(2 * BLOCK_SIZE);
  const reading = fs.read(reader, room, FIRST_WINDOW - BLOCK_SIZE);
  await download.begun;
  const writer = await fs.open('/f', { read: false, write: true, truncate: true });
  await fs.write(writer, Buffer.alloc(FIRST_WINDOW, 'new'), 0);
  await fs.flush(writer);
  await fs.release(writer);
  download.letGo();

  expect(await reading).toBe(BLOCK_SIZE);
  expect(room.lent).toEqual([]);
  expect(Buffer.alloc(FIRST_WINDOW, 'new').subarray(-BLOCK_SIZE).equals(room.bytes(BLOCK_SIZE))).toBe(true);
  expect(before.lent).toHaveLength(2);
  expect(Buffer.from(before.bytes()).equals(bytes.subarray(0, before.length))).toBe(true);
  before.free();
  await fs.release(reader);
});
