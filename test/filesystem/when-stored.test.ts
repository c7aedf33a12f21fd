/** SEMANTICS: when a write is stored. */
import { describe, expect, it, vi } from 'vitest';
import type { FileHandle, FileSystemOperations } from '../../src/filesystem/operations.ts';
import { names, openForTest, writeFile } from '../support/open-for-test.ts';
import { openToEdit, openToRead, openToRewrite, setXattr, textAt, writeAt } from '../support/program-acts.ts';
import { holdNext } from '../support/hold-next.ts';
import { withListedFile } from '../support/stored-state.ts';

describe('a new file', () => {
  it('that was never written is stored by its first flush [write/empty-flush]', async () => {
    const { fs, asked, stored } = await openForTest();
    await names(fs, '/');
    asked();
    const handle = await openToRewrite(fs, '/f');
    expect(asked()).toEqual([]);

    await fs.flush(handle);
    expect(asked()).toEqual(['putObject f']);
    await fs.flush(handle);
    await fs.release(handle);

    expect(asked()).toEqual([]);
    expect((await stored('f')).length).toBe(0);
  });

  it('that its program can only read is stored by its close, which says so when it is not [write/empty-flush]', async () => {
    const { fs, asked, faults } = await openForTest();
    await names(fs, '/');
    asked();
    const made = (path: string): Promise<FileHandle> =>
      fs.create(path, { read: true, write: false, truncate: false, exclusive: false, mode: 0o644 });
    const lock = await made('/lock');

    await fs.flush(lock);
    expect(asked()).toEqual(['putObject lock']);
    await fs.release(lock);

    const refused = await made('/refused');
    faults.add({ operation: 'putObject', fault: { kind: 'status', status: 403 } });
    await expect(fs.flush(refused)).rejects.toMatchObject({ code: 'EACCES' });
    await fs.release(refused);
  });

  it('that its program can only read is not stored by who reads it while another writes [write/close]', async () => {
    const { fs, asked } = await openForTest();
    await names(fs, '/');
    asked();
    const writer = await openToRewrite(fs, '/f');
    await writeAt(fs, writer, 'half');
    const reader = await openToRead(fs, '/f');

    await fs.flush(reader);
    await fs.release(reader);

    expect(asked()).toEqual([]);
    await fs.flush(writer);
    await fs.release(writer);
  });

  it('waits for who closes only one of two descriptors: echo x > new is one PUT [write/empty-flush]', async () => {
    const { fs, asked, stored } = await openForTest();
    await names(fs, '/');
    asked();
    const handle = await openToRewrite(fs, '/f');

    await fs.flush(handle, () => Promise.resolve(true));
    expect(asked()).toEqual([]);
    await writeAt(fs, handle, 'x\n');
    await fs.flush(handle, () => Promise.resolve(true));
    expect(asked()).toEqual(['putObject f']);
    await fs.flush(handle, () => Promise.resolve(false));
    await fs.release(handle);

    expect(asked()).toEqual([]);
    expect((await stored('f')).toString()).toBe('x\n');
  });

  it.each([
    [
      'by the last of its descriptors',
      (fs: FileSystemOperations, handle: FileHandle) => fs.flush(handle, () => Promise.resolve(false)),
    ],
    ['by fsync', (fs: FileSystemOperations, handle: FileHandle) => fs.fsync(handle)],
    ['at its release', (fs: FileSystemOperations, handle: FileHandle) => fs.release(handle)],
  ])('that was never written is stored %s at the latest [write/empty-flush]', async (_when, end) => {
    const { fs, asked } = await openForTest();
    await names(fs, '/');
    asked();
    const handle = await openToRewrite(fs, '/f');
    await fs.flush(handle, () => Promise.resolve(true));

    await end(fs, handle);

    expect(asked()).toEqual(['putObject f']);
  });

  it('whose name is gone waits for nobody: what its program has open is not looked at', async () => {
    const { fs, asked } = await openForTest();
    await names(fs, '/');
    const handle = await openToRewrite(fs, '/f');
    await fs.unlink('/f');
    asked();
    const isOpenElsewhere = vi.fn(() => Promise.resolve(true));

    await fs.flush(handle, isOpenElsewhere);
    await fs.release(handle);

    expect(isOpenElsewhere).not.toHaveBeenCalled();
    expect(asked()).toEqual([]);
  });

  it('that was stored empty and then written is a rewrite: nobody looks for a conflict [write/rewrite-wins]', async () => {
    const { fs, asked } = await openForTest();
    await names(fs, '/');
    const handle = await openToRewrite(fs, '/f');
    await fs.flush(handle);
    asked();

    await writeAt(fs, handle, 'x\n');
    await fs.flush(handle);

    expect(asked()).toEqual(['putObject f']);
    await fs.release(handle);
  });

  it('that exists already is EEXIST for those who want it exclusively', async () => {
    const { fs, foreignWrite } = await openForTest();
    await foreignWrite('f', 'x');
    const intent = { read: false, write: true, truncate: true, exclusive: true, mode: 0o600 };

    await expect(fs.create('/f', intent)).rejects.toMatchObject({ code: 'EEXIST' });
    const handle = await fs.create('/g', intent);
    await expect(fs.create('/g', intent)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(fs.create('/no/g', intent)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(fs.create('/f/g', intent)).rejects.toMatchObject({ code: 'ENOTDIR' });
    await fs.release(handle);

    expect((await fs.getAttributes('/g')).mode).toBe(0o600);
  });
});

describe('a file opened with O_TRUNC', () => {
  it('is not emptied on the service by itself, nor by the first flush: echo x > f is one PUT [write/whole] [write/empty-flush]', async () => {
    const { fs, asked, stored } = await withListedFile();
    const handle = await openToRewrite(fs, '/f');

    await fs.flush(handle);
    expect(asked()).toEqual([]);
    expect((await stored('f')).toString()).toBe('old');
    await writeAt(fs, handle, 'x\n');
    await fs.flush(handle);
    await fs.release(handle);

    expect(asked()).toEqual(['putObject f']);
    expect((await stored('f')).toString()).toBe('x\n');
  });

  it('is emptied by the second flush [write/empty-flush]', async () => {
    const { fs, asked, stored } = await withListedFile();
    const handle = await openToRewrite(fs, '/f');
    await fs.flush(handle);

    await fs.flush(handle);

    expect(asked()).toEqual(['putObject f']);
    expect((await stored('f')).length).toBe(0);
    await fs.release(handle);
  });

  it('is emptied at its release when nothing was written: : > f [write/empty-flush]', async () => {
    const { fs, asked, stored } = await withListedFile();
    const handle = await openToRewrite(fs, '/f');
    await fs.flush(handle);
    expect((await fs.getAttributes('/f')).size).toBe(0);

    await fs.release(handle);

    expect(asked()).toEqual(['putObject f']);
    expect((await stored('f')).length).toBe(0);
  });

  it('is emptied by fsync [write/empty-flush]', async () => {
    const { fs, stored } = await withListedFile();
    const handle = await openToRewrite(fs, '/f');

    await fs.fsync(handle);

    expect((await stored('f')).length).toBe(0);
    await fs.release(handle);
  });
});

describe('the same bytes', () => {
  it('upload nothing, and the file still gets its new time [write/same-bytes]', async () => {
    const { fs, asked, clock } = await withListedFile('same');
    clock.advance(1000);

    await writeFile(fs, '/f', 'same');

    expect(asked()).toEqual([]);
    expect((await fs.getAttributes('/f')).mtime).toBe(clock.now());
  });

  it('are stored when another type or visibility is wanted with them', async () => {
    const { fs, asked, direct, bucket } = await withListedFile('same');
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'same');
    await setXattr(fs, '/f', 'user.mime_type', 'text/x-new');
    await fs.flush(handle);
    await fs.release(handle);

    expect(asked()).toEqual(['putObject f']);
    expect((await direct.headObject(bucket, 'f')).contentType).toBe('text/x-new');
  });

  it('are stored when somebody else’s are there by now', async () => {
    const { fs, foreignWrite, clock, stored } = await withListedFile('same');
    await foreignWrite('f', 'other');
    clock.advance(10_000);

    await writeFile(fs, '/f', 'same');

    expect((await stored('f')).toString()).toBe('same');
  });
});

describe('fsync', () => {
  it('stores what is written, and what comes after it goes up at the close', async () => {
    const { fs, stored, asked } = await openForTest();
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'one');
    await fs.fsync(handle);
    expect((await stored('f')).toString()).toBe('one');
    asked();
    await fs.fsync(handle);
    expect(asked()).toEqual([]);

    await writeAt(fs, handle, ' two', 3);
    await fs.flush(handle);
    await fs.release(handle);

    expect((await stored('f')).toString()).toBe('one two');
  });
});

describe('release', () => {
  it('stores what no flush has seen, as pages dirtied through mmap [write/last-close]', async () => {
    const { fs, stored } = await withListedFile();
    const handle = await openToEdit(fs, '/f');
    await fs.flush(handle);
    await writeAt(fs, handle, 'mapped');

    await fs.release(handle);

    expect((await stored('f')).toString()).toBe('mapped');
  });

  it('of the last writer stores while readers stay [write/last-close]', async () => {
    const { fs, stored } = await withListedFile();
    const reader = await fs.open('/f', { read: true, write: false, truncate: false });
    const writer = await openToEdit(fs, '/f');
    await writeAt(fs, writer, 'new');

    await fs.release(writer);

    expect((await stored('f')).toString()).toBe('new');
    expect(await textAt(fs, reader)).toBe('new');
    await fs.release(reader);
  });
});

describe('while an upload is in flight', () => {
  it('a write waits for its end, and belongs to the next one [write/handles]', async () => {
    const { fs, stored, service, asked } = await openForTest();
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'one');
    const upload = holdNext(service, 'putObject');

    const flushed = fs.flush(handle);
    await upload.begun;
    const written = writeAt(fs, handle, 'two');
    upload.letGo();
    await flushed;
    expect((await stored('f')).toString()).toBe('one');
    await written;
    await fs.flush(handle);
    await fs.release(handle);

    expect((await stored('f')).toString()).toBe('two');
    expect(asked().filter((line) => line === 'putObject f')).toHaveLength(2);
  });

  it('reading, looking and listing do not wait', async () => {
    const { fs, service } = await openForTest();
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'one');
    await names(fs, '/');
    const upload = holdNext(service, 'putObject');
    let ended = false;
    const flushed = fs.flush(handle).then(() => {
      ended = true;
    });
    await upload.begun;

    expect(await textAt(fs, handle)).toBe('one');
    expect((await fs.getAttributes('/f')).size).toBe(3);
    expect(await names(fs, '/')).toEqual(['f']);
    expect(Buffer.from(await fs.getXattr('/f', 'user.pailfs.key')).toString()).toBe('f');

    expect(ended).toBe(false);
    upload.letGo();
    await flushed;
    await fs.release(handle);
  });
});
