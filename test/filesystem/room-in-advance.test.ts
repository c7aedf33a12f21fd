/** SEMANTICS: a program that asks for room in advance (fallocate, posix_fallocate) hears at once whether there is any, and then has it. */
import { expect, it } from 'vitest';
import { holdNext } from '../support/hold-next.ts';
import { openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { drained } from '../support/drained.ts';
import {
  errnoOfCall,
  openToEdit,
  openToRead,
  openToRewrite,
  textAt,
  writeAt,
} from '../support/program-acts.ts';

const ROOM = 100_000;
const SMALL = { settings: { cache: 'disk', cacheSize: ROOM } } as const;
const first = (end: number) => ({ start: 0, end });

it('the file grows with zeros to hold what is to come, and is stored so [write/allocate]', async () => {
  const { fs, stored } = await openForTest();
  const handle = await openToRewrite(fs, '/disk.img');
  await writeAt(fs, handle, 'head');

  await fs.allocate(handle, { start: 1000, end: 5000 }, false);

  expect((await fs.getAttributes('/disk.img')).size).toBe(5000);
  await fs.flush(handle);
  await fs.release(handle);
  const expected = Buffer.alloc(5000);
  expected.write('head');
  expect((await stored('disk.img')).equals(expected)).toBe(true);
});

it('a file that holds the place already stays as it is, and nothing is stored or fetched [write/allocate]', async () => {
  const scene = await openForTest();
  await scene.foreignWrite('file', 'all of it');
  const handle = await openToEdit(scene.fs, '/file');
  scene.asked();

  await scene.fs.allocate(handle, first(9), false);
  await scene.fs.allocate(handle, first(5000), true);
  await scene.fs.flush(handle);
  await scene.fs.release(handle);

  expect(scene.asked().filter((line) => !line.startsWith('headObject'))).toEqual([]);
  expect((await scene.fs.getAttributes('/file')).size).toBe(9);
});

it('a stored file that grows keeps its bytes [write/allocate]', async () => {
  const { fs, foreignWrite, stored } = await openForTest();
  await foreignWrite('file', 'old');
  const handle = await openToEdit(fs, '/file');

  await fs.allocate(handle, first(6), false);
  await fs.flush(handle);
  await fs.release(handle);

  expect((await stored('file')).toString()).toBe('old\0\0\0');
});

it('where there is no room for it the answer is ENOSPC, and the file can be written and stored [write/allocate]', async () => {
  const { fs, stored } = await openForTest(SMALL);
  const handle = await openToRewrite(fs, '/file');
  await writeAt(fs, handle, 'some');

  expect(await errnoOfCall(fs.allocate(handle, first(ROOM + 1), false))).toBe('ENOSPC');

  expect((await fs.getAttributes('/file')).size).toBe(4);
  await writeAt(fs, handle, 'more', 4);
  await fs.flush(handle);
  await fs.release(handle);
  expect((await stored('file')).toString()).toBe('somemore');
});

it.each([
  ['and grows', false],
  ['and keeps its size', true],
])(
  'room that a file has %s is not given to others, and its own writes find it [write/allocate]',
  async (_what, keepsSize) => {
    const { fs, stored } = await openForTest(SMALL);
    const handle = await openToRewrite(fs, '/promised');
    await fs.allocate(handle, first(60_000), keepsSize);

    const other = await openToRewrite(fs, '/other');
    expect(await errnoOfCall(fs.write(other, new Uint8Array(50_000), 0))).toBe('ENOSPC');
    await fs.release(other);
    for (let position = 0; position < 60_000; position += 10_000)
      await fs.write(handle, new Uint8Array(10_000).fill(7), position);
    await fs.flush(handle);
    await fs.release(handle);

    expect((await stored('promised')).equals(Buffer.alloc(60_000, 7))).toBe(true);
  },
);

it('room that was kept is free again when the file is cut, and when it is closed [write/allocate]', async () => {
  const { fs } = await openForTest(SMALL);
  const cut = await openToRewrite(fs, '/cut');
  await fs.allocate(cut, first(60_000), false);
  await fs.truncate('/cut', 10, cut);
  const closed = await openToRewrite(fs, '/closed');
  await fs.allocate(closed, first(90_000), true);
  await fs.flush(closed);
  await fs.release(closed);

  await writeFile(fs, '/new', new Uint8Array(90_000));

  expect((await readFile(fs, '/new')).length).toBe(90_000);
  await fs.release(cut);
});

it('what a close has promised is stored as it was closed, though more room is asked for meanwhile [write/allocate]', async () => {
  const { fs, mounted, service, stored } = await openForTest({ settings: { writeBack: true } });
  const upload = holdNext(service, 'putObject');
  await writeFile(fs, '/file', 'closed');
  const firstUpload = drained(mounted);
  await upload.begun;
  const handle = await openToEdit(fs, '/file');

  await fs.allocate(handle, first(8), false);

  expect(await textAt(fs, handle)).toBe('closed\0\0');
  upload.letGo();
  await firstUpload;
  expect((await stored('file')).toString()).toBe('closed');
  await fs.flush(handle);
  await fs.release(handle);
  await drained(mounted);
  expect((await stored('file')).toString()).toBe('closed\0\0');
});

it('who may only read is refused [write/allocate]', async () => {
  const { fs } = await openForTest();
  await writeFile(fs, '/file', 'bytes');
  const handle = await openToRead(fs, '/file');

  expect(await errnoOfCall(fs.allocate(handle, first(100), false))).toBe('EBADF');
  await fs.release(handle);
});
