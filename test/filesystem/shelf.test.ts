/** SEMANTICS: scratch files of programs stay here, and cost the service nothing. */
import { describe, expect, it } from 'vitest';
import type { FileHandle, FileSystemOperations } from '../../src/filesystem/operations.ts';
import {
  closing,
  names,
  openForTest,
  readFile,
  writeFile,
  type FileSystemForTest,
  type TestOptions,
} from '../support/open-for-test.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { openToRead, openToRewrite, setXattr, textAt, writeAt } from '../support/program-acts.ts';

const PATIENCE = 30_000;
const APPLE_DOUBLE = Buffer.from([0x00, 0x05, 0x16, 0x07, 0x00, 0x02]);

/** With `/file` stored as `base`, all known, nothing counted yet. */
async function openWarm(options: TestOptions = {}): Promise<FileSystemForTest> {
  const opened = await openForTest(options);
  await opened.foreignWrite('file', 'base');
  await names(opened.fs, '/');
  opened.asked();
  return opened;
}

function createPrivate(fs: FileSystemOperations, path: string): Promise<FileHandle> {
  return fs.create(path, { read: true, write: true, truncate: false, exclusive: true, mode: 0o600 });
}

/** As rsync does before the rename. */
async function transfer(fs: FileSystemOperations, path: string, content: string): Promise<void> {
  const handle = await createPrivate(fs, path);
  await closing(fs, handle, () => writeAt(fs, handle, content));
  await fs.setAttributes(path, { mtime: 1_000_000_000_000 });
  await fs.setAttributes(path, { mode: 0o644 });
}

describe('a file created under a scratch name', () => {
  it.each([
    ['.file.swp', 'swap'],
    ['#file#', 'swap'],
    ['.#file', 'lock'],
    ['.~lock.file#', 'lock'],
    ['.DS_Store', 'settings'],
    ['._file', APPLE_DOUBLE],
    ['4913', ''],
  ])('as %s is here like any other, and goes without a request [scratch/local]', async (name, content) => {
    const { fs, asked } = await openWarm();

    await writeFile(fs, `/${name}`, content);

    expect(await names(fs, '/')).toEqual(['file', name].sort());
    expect(await readFile(fs, `/${name}`)).toEqual(Buffer.from(content));
    expect((await fs.getAttributes(`/${name}`)).size).toBe(Buffer.from(content).length);
    await fs.unlink(`/${name}`);
    await expect(fs.getAttributes(`/${name}`)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(asked()).toEqual([]);
  });

  it.each([
    ['._file', 'no AppleDouble'],
    ['4913', 'content'],
    ['file~', 'backup'],
    ['.file.Ab3dE9', 'not for its owner alone'],
  ])('as %s but with %j in it is stored as any other [scratch/local]', async (name, content) => {
    const { fs, asked } = await openWarm();

    await writeFile(fs, `/${name}`, content);

    expect(asked()).toEqual([`putObject ${name}`]);
  });

  it('stays here over fsync, and can be written on [scratch/local]', async () => {
    const { fs, asked } = await openWarm();
    const handle = await openToRewrite(fs, '/.file.swp');
    await writeAt(fs, handle, 'one');
    await fs.fsync(handle);
    await writeAt(fs, handle, ' two', 3);
    await fs.flush(handle);

    expect(await textAt(fs, handle)).toBe('one two');
    await fs.release(handle);
    expect((await readFile(fs, '/.file.swp')).toString()).toBe('one two');
    expect(asked()).toEqual([]);
  });

  it('keeps its folder from being removed', async () => {
    const { fs } = await openWarm();
    await fs.mkdir('/d', 0o755);
    await writeFile(fs, '/d/.x.swp', 'swap');

    await expect(fs.rmdir('/d')).rejects.toMatchObject({ code: 'ENOTEMPTY' });
    await fs.unlink('/d/.x.swp');
    await fs.rmdir('/d');
  });

  it('is stored when the service has the name already [scratch/known]', async () => {
    const { fs, foreignWrite, asked, stored, mounted } = await openWarm();
    await foreignWrite('.file.swp', 'theirs');
    mounted.refresh('/');
    await names(fs, '/');
    asked();

    await writeFile(fs, '/.file.swp', 'mine');

    expect((await stored('.file.swp')).toString()).toBe('mine');
    expect(asked()).toContain('putObject .file.swp');
  });

  it('is stored at its close with scratch=off [scratch/off]', async () => {
    const { fs, asked } = await openWarm({ settings: { scratch: false } });

    await writeFile(fs, '/.file.swp', 'swap');
    await transfer(fs, '/.file.Ab3dE9', 'content');

    expect(asked()).toEqual(['putObject .file.swp', 'putObject .file.Ab3dE9']);
  });

  it('is kept under another scratch name of its kind, and stored under any other [scratch/rename]', async () => {
    const { fs, asked, stored } = await openWarm();
    await writeFile(fs, '/.file.swp', 'swap');

    await fs.rename('/.file.swp', '/.other.swp', false);
    expect(asked()).toEqual([]);
    await fs.rename('/.other.swp', '/other', false);

    expect(asked()).toEqual(['putObject other']);
    expect((await stored('other')).toString()).toBe('swap');
    expect(await names(fs, '/')).toEqual(['file', 'other']);
  });

  it('is stored by the close when it is renamed while it is written [scratch/rename]', async () => {
    const { fs, asked, stored } = await openWarm();
    const handle = await createPrivate(fs, '/.file.Ab3dE9');
    await writeAt(fs, handle, 'half');
    await fs.rename('/.file.Ab3dE9', '/new', false);
    expect(asked()).toEqual([]);

    await closing(fs, handle, () => writeAt(fs, handle, ', whole', 4));

    expect(asked()).toEqual(['putObject new']);
    expect((await stored('new')).toString()).toBe('half, whole');
  });

  it('is stored by the rename when others only read it, and they read on [scratch/rename]', async () => {
    const { fs, asked } = await openWarm();
    await transfer(fs, '/.file.Ab3dE9', 'content');
    const reader = await openToRead(fs, '/.file.Ab3dE9');

    await fs.rename('/.file.Ab3dE9', '/new', false);

    expect(asked()).toEqual(['putObject new']);
    expect(await textAt(fs, reader)).toBe('content');
    await fs.release(reader);
  });
});

describe('scratch files in a folder that is renamed', () => {
  it('go along, and stay here [scratch/rename]', async () => {
    const { fs, asked } = await openWarm();
    await fs.mkdir('/d', 0o755);
    await transfer(fs, '/d/.x.Ab3dE9', 'content');
    await writeFile(fs, '/d/.x.swp', 'swap');
    asked();

    await fs.rename('/d', '/e', false);

    expect(asked().filter((request) => request.startsWith('put'))).toEqual([]);
    expect((await readFile(fs, '/e/.x.Ab3dE9')).toString()).toBe('content');
    expect((await readFile(fs, '/e/.x.swp')).toString()).toBe('swap');
  });
});

describe('a transfer', () => {
  it('is one PUT, at the rename: attributes and all [scratch/rename]', async () => {
    const { fs, asked, stored } = await openWarm();

    await transfer(fs, '/.new.Ab3dE9', 'content');
    expect(asked()).toEqual([]);
    await fs.rename('/.new.Ab3dE9', '/new', false);

    expect(asked()).toEqual(['putObject new']);
    expect((await stored('new')).toString()).toBe('content');
    expect(await fs.getAttributes('/new')).toMatchObject({ mode: 0o644, mtime: 1_000_000_000_000, size: 7 });
    await names(fs, '/');
    expect(asked()).toEqual([]);
  });

  it('over an existing file keeps its link alive [visibility/rename]', async () => {
    const { fs, asked, direct, bucket } = await openWarm();
    await setXattr(fs, '/file', 'user.pailfs.visibility', 'public');
    asked();

    await transfer(fs, '/.file.Ab3dE9', 'content');
    await fs.rename('/.file.Ab3dE9', '/file', false);

    expect(asked()).toEqual(['putObject file', 'headObject file', 'setVisibility file']);
    expect((await direct.getVisibility(bucket, 'file')).visibility).toBe('public');
    expect(await names(fs, '/')).toEqual(['file']);
  });

  it('that the service refuses is an error of the rename: both names are as before [scratch/rename]', async () => {
    const { fs, faults, stored, asked } = await openWarm();
    await transfer(fs, '/.file.Ab3dE9', 'content');
    faults.add({ operation: 'putObject', fault: { kind: 'status', status: 402 } });

    await expect(fs.rename('/.file.Ab3dE9', '/file', false)).rejects.toMatchObject({ code: 'EDQUOT' });
    expect((await readFile(fs, '/file')).toString()).toBe('base');
    expect((await readFile(fs, '/.file.Ab3dE9')).toString()).toBe('content');
    asked();
    await fs.rename('/.file.Ab3dE9', '/file', false);

    expect((await stored('file')).toString()).toBe('content');
    expect(asked().filter((request) => request.startsWith('put'))).toEqual(['putObject file']);
  });

  it('that nobody renames or removes is stored 30 seconds after its last close [scratch/transfer]', async () => {
    const { fs, asked, clock, stored } = await openWarm();
    await transfer(fs, '/.file.Ab3dE9', 'one');
    clock.advance(PATIENCE - 1);
    const handle = await openToRead(fs, '/.file.Ab3dE9');
    clock.advance(PATIENCE);
    await fs.release(handle);
    clock.advance(PATIENCE - 1);
    expect(asked()).toEqual([]);

    clock.advance(1);

    await expect.poll(async () => (await stored('.file.Ab3dE9')).toString()).toBe('one');
    expect(asked()).toEqual(['putObject .file.Ab3dE9']);
  });

  it('that was renamed or removed is not heard of again', async () => {
    const { fs, asked, clock } = await openWarm();
    await transfer(fs, '/.a.Ab3dE9', 'a');
    await transfer(fs, '/.b.Ab3dE9', 'b');
    await fs.rename('/.a.Ab3dE9', '/a', false);
    await fs.unlink('/.b.Ab3dE9');
    asked();

    clock.advance(PATIENCE);
    await new Promise((resolve) => setTimeout(resolve, 20));

    expect(asked()).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is stored at the end of the mount [scratch/unmount]', async () => {
    const { fs, mounted, stored } = await openWarm();
    await transfer(fs, '/.file.Ab3dE9', 'content');

    expect(await mounted.close({ patience: 60_000 })).toEqual([]);

    expect((await stored('.file.Ab3dE9')).toString()).toBe('content');
  });
});

describe('what git makes', () => {
  const PACK = `pack-${'0a1b2'.repeat(8)}.pack`;

  async function pack(fs: FileSystemOperations): Promise<void> {
    const handle = await fs.create('/tmp_pack_Ab3dE9', {
      read: true,
      write: true,
      truncate: false,
      exclusive: true,
      mode: 0o444,
    });
    await closing(fs, handle, () => writeAt(fs, handle, 'objects'));
  }

  it('is one PUT, at the rename to its true name [scratch/rename]', async () => {
    const { fs, asked, stored } = await openWarm();
    await pack(fs);
    await fs.rename('/tmp_pack_Ab3dE9', `/.tmp-42-${PACK}`, false);
    expect(asked()).toEqual([]);

    await fs.rename(`/.tmp-42-${PACK}`, `/${PACK}`, false);

    expect(asked()).toEqual([`putObject ${PACK}`]);
    expect((await stored(PACK)).toString()).toBe('objects');
  });
});

describe('the next mount on this machine', () => {
  it('has the scratch files that were left, as they were [scratch/unmount]', async () => {
    const scene = await openWarm();
    await writeFile(scene.fs, '/#file#', 'saved now and then');
    await scene.fs.setAttributes('/#file#', { mode: 0o600 });
    expect(await scene.mounted.close({ patience: 60_000 })).toEqual([]);
    scene.asked();

    const next = await mountOver({ directory: scene.stateDirectory }, scene);

    expect(next.shelf()).toEqual([{ path: '/#file#', size: 18 }]);
    expect((await readFile(next.operations, '/#file#')).toString()).toBe('saved now and then');
    expect((await next.operations.getAttributes('/#file#')).mode).toBe(0o600);
    await next.operations.unlink('/#file#');
    expect(await next.close({ patience: 60_000 })).toEqual([]);
    const third = await mountOver({ directory: scene.stateDirectory }, scene);
    expect(third.shelf()).toEqual([]);
    expect(scene.asked().filter((request) => request.startsWith('put'))).toEqual([]);
  });

  it('has after a crash those that were made durable by fsync, and stores a transfer when its time is over [scratch/local]', async () => {
    const scene = await openWarm();
    for (const path of ['/.file.swp', '/.file.Ab3dE9']) {
      const handle = await createPrivate(scene.fs, path);
      await writeAt(scene.fs, handle, 'content');
      await scene.fs.fsync(handle);
    }

    const next = await mountOver(await diskNow(scene), scene);

    expect((await readFile(next.operations, '/.file.swp')).toString()).toBe('content');
    expect((await readFile(next.operations, '/.file.Ab3dE9')).toString()).toBe('content');
    await expect
      .poll(async () => {
        scene.clock.advance(PATIENCE);
        return (await scene.stored('.file.Ab3dE9').catch(() => '')).toString();
      })
      .toBe('content');
    expect(next.shelf()).toEqual([{ path: '/.file.swp', size: 7 }]);
  });

  it('stores them with scratch=off [scratch/off]', async () => {
    const scene = await openWarm();
    await writeFile(scene.fs, '/#file#', 'saved now and then');
    await scene.mounted.close({ patience: 60_000 });

    await mountOver({ directory: scene.stateDirectory }, scene, { settings: { scratch: false } });

    await expect
      .poll(async () => (await scene.stored('#file#').catch(() => '')).toString())
      .toBe('saved now and then');
  });
});

describe('a save', () => {
  it('as emacs does it, with a lock and an auto-save file, is one PUT [scratch/local]', async () => {
    const { fs, asked } = await openWarm();
    await setXattr(fs, '/file', 'user.pailfs.visibility', 'private');
    asked();

    await writeFile(fs, '/.#file', 'somebody@here.1234');
    await writeFile(fs, '/#file#', 'saved now and then');
    await writeFile(fs, '/file', 'saved');
    await fs.unlink('/#file#');
    await fs.unlink('/.#file');

    expect(asked()).toEqual(['putObject file']);
  });

  it('as vim does it, with a swap file and a look whether it may create files, is one PUT [scratch/local]', async () => {
    const { fs, asked } = await openWarm();
    await setXattr(fs, '/file', 'user.pailfs.visibility', 'private');
    asked();

    const swap = await openToRewrite(fs, '/.file.swp');
    await writeAt(fs, swap, 'b0VIM');
    await writeFile(fs, '/4913', '');
    await fs.unlink('/4913');
    await writeFile(fs, '/file', 'saved');
    await fs.flush(swap);
    await fs.release(swap);
    await fs.unlink('/.file.swp');

    expect(asked()).toEqual(['putObject file']);
  });
});
