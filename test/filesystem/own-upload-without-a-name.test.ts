/** The service's ETags are no MD5: nobody can tell by them which bytes are there. */
import { describe, expect, it } from 'vitest';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { holdNext } from '../support/hold-next.ts';
import {
  closing,
  names,
  openForTest,
  readFile,
  writeFile,
  type FileSystemForTest,
} from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { edit, openToEdit, openToRead, textAt } from '../support/program-acts.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
/** Nothing tells that a file is the one stored here but its bytes. */
const UNNAMED = { behaviours: { etag: 'random', date: 'missing' } } as const;

it.each([
  ['of five times the memory of a read', { memoryLimit: 8 * MIB }],
  ['with cache=off', { cache: 'off' }],
] as const)(
  'a file that was stored here is read at once, %s, where no Date is sent either',
  async (_, settings) => {
    const { fs } = await openForTest({ store: UNNAMED, settings });
    const content = patternedBytes(5 * MIB);
    await writeFile(fs, '/a', content);

    expect(Buffer.compare(await readFile(fs, '/a'), content)).toBe(0);
  },
);

describe('a body that is cut while it is looked whether a file is the one that was stored here', () => {
  const cut = { kind: 'cut', afterBytes: 5 } as const;

  it('is asked for again: an edit is stored [errors/table]', async () => {
    const { fs, faults, stored } = await openForTest({ store: UNNAMED });
    await writeFile(fs, '/a', 'some bytes');
    faults.add({ operation: 'getObject', fault: cut });

    await edit(fs, '/a', 'N', 3);

    expect((await stored('a')).toString()).toBe('somN bytes');
  });

  it('is asked for again: what is written anew is public as before [errors/table]', async () => {
    const { fs, faults, direct, bucket } = await openForTest({ store: UNNAMED });
    await writeFile(fs, '/a', 'some bytes');
    await fs.setXattr('/a', 'user.pailfs.visibility', Buffer.from('public'), 'any');
    faults.add({ operation: 'getObject', fault: cut });

    await writeFile(fs, '/a', 'other bytes');

    expect(await direct.getVisibility(bucket, 'a')).toMatchObject({ visibility: 'public' });
  });

  it('is asked for no more where all are cut [errors/table]', async () => {
    const { fs, faults, asked } = await openForTest({ store: UNNAMED });
    await writeFile(fs, '/a', 'some bytes');
    faults.add({ operation: 'getObject', fault: cut, times: Infinity });
    asked();

    await expect(edit(fs, '/a', 'N', 3)).rejects.toMatchObject({ code: 'EIO' });

    expect(asked()).toEqual(['headObject a', ...Array.from({ length: 6 }, () => 'getObject a')]);
  });
});

describe('with cache=off, of a file that was stored here', () => {
  it.each([
    ['an edit', 5 * MIB, withLetter, (fs: FileSystemOperations) => edit(fs, '/a', 'N', 10)],
    ['an edit of a small one', 300 * KIB, withLetter, (fs: FileSystemOperations) => edit(fs, '/a', 'N', 10)],
    ['what is appended', 5 * MIB, withOneMore, (fs: FileSystemOperations) => edit(fs, '/a', 'N', 5 * MIB)],
    ['a truncation', 5 * MIB, withoutEnd, (fs: FileSystemOperations) => truncated(fs, 5 * MIB - 7)],
  ])('%s is stored, with all that stays of it [write/edit]', async (_, size, after, act) => {
    const content = patternedBytes(size);
    const { fs, stored } = await withOwnFile(content);

    await act(fs);

    expect(Buffer.compare(await stored('a'), after(content))).toBe(0);
  });

  it('all is there under the name that it is renamed to [rename/copy]', async () => {
    const content = patternedBytes(5 * MIB);
    const { fs } = await withOwnFile(content);

    await fs.rename('/a', '/b', false);

    expect(Buffer.compare(await readFile(fs, '/b'), content)).toBe(0);
  });

  it.each([
    ['unlinked', (fs: FileSystemOperations) => fs.unlink('/a')],
    ['replaced', (fs: FileSystemOperations) => fs.rename('/other', '/a', false)],
  ])('all can be read by who had it open when it was %s [unlink/open]', async (_, act) => {
    const content = patternedBytes(5 * MIB);
    const { fs } = await withOwnFile(content);
    const handle = await openToRead(fs, '/a');

    await act(fs);

    const into = Buffer.alloc(1000);
    expect(await fs.read(handle, into, 5 * MIB - 2000)).toBe(1000);
    expect(Buffer.compare(into, content.subarray(5 * MIB - 2000, 5 * MIB - 1000))).toBe(0);
    await fs.release(handle);
  });

  it('the bytes can be read by who had it open before a listing showed it [fresh/no-mixing]', async () => {
    const { fs, clock } = await withOwnFile('ours');
    const handle = await openToRead(fs, '/a');
    clock.advance(10_000);
    await names(fs, '/');

    expect(await textAt(fs, handle)).toBe('ours');

    await fs.release(handle);
  });
});

it('the kernel keeps nothing of a file stored here whose name is guessed by its time [kernel/versions]', async () => {
  const { fs, clock, foreignWrite } = await openForTest({
    store: { behaviours: { etag: 'random', date: 0 } },
  });
  await writeFile(fs, '/a', 'ours!!');
  await foreignWrite('a', 'theirs');
  const toRead = { read: true, write: false, truncate: false };
  const { identity: ours } = await fs.open('/a', toRead);
  clock.advance(11_000);
  await names(fs, '/');

  const { identity } = await fs.getAttributes('/a');
  const later = await fs.open('/a', toRead);

  expect(identity).not.toBe(ours);
  expect(later.identity).toBe(identity);
  expect((await readFile(fs, '/a')).toString()).toBe('theirs');
});

it('a file that is removed while an open looks whether it is the one stored here does not come back [unlink/open]', async () => {
  const { fs, clock, service } = await withOwnFile('ours');
  const reader = await openToRead(fs, '/a');
  clock.advance(10_000);
  await names(fs, '/');
  const held = holdNext(service, 'getObject');
  const opening = fs.open('/a', { read: false, write: true, truncate: true });
  await held.begun;
  await fs.unlink('/a');
  held.letGo();

  await expect(opening).rejects.toMatchObject({ code: 'ENOENT' });

  expect(await textAt(fs, reader)).toBe('ours');
  await fs.release(reader);
  expect(await names(fs, '/')).toEqual(['other']);
});

it('a file that is closed leaves nothing in memory with cache=off', async () => {
  const { fs, mounted } = await openForTest({ settings: { cache: 'off' } });

  await writeFile(fs, '/a', patternedBytes(5 * MIB));

  expect(mounted.counts().inMemory).toBe(0);
});

/** /a was stored here, and nothing is kept of it; /other is there, too. */
async function withOwnFile(content: string | Uint8Array): Promise<FileSystemForTest> {
  const scene = await openForTest({ store: UNNAMED, settings: { cache: 'off' } });
  await scene.foreignWrite('other', 'other');
  await writeFile(scene.fs, '/a', content);
  return scene;
}

/** `N` is at 10. */
function withLetter(content: Uint8Array): Uint8Array {
  return Buffer.concat([content.subarray(0, 10), Buffer.from('N'), content.subarray(11)]);
}

/** `N` is behind it. */
function withOneMore(content: Uint8Array): Uint8Array {
  return Buffer.concat([content, Buffer.from('N')]);
}

/** Seven bytes are cut off. */
function withoutEnd(content: Uint8Array): Uint8Array {
  return content.subarray(0, content.length - 7);
}

async function truncated(fs: FileSystemOperations, size: number): Promise<void> {
  const handle = await openToEdit(fs, '/a');
  await closing(fs, handle, () => fs.truncate('/a', size, handle));
}
