/** SEMANTICS: renaming files on a service that cannot rename. At no moment is there less than one whole copy. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../src/server/faults.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import {
  edit,
  LogForTest,
  openToEdit,
  openToRead,
  openToRewrite,
  textAt,
  writeAt,
} from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

describe('a rename', () => {
  it('moves bytes, mode and time, and leaves nothing under the old name [rename/copy]', async () => {
    const { fs, stored, direct, bucket, foreignWrite } = await openForTest();
    await foreignWrite('a/f', 'content');
    await fs.setAttributes('/a/f', { mode: 0o640, mtime: 1_000_000 });

    await fs.rename('/a/f', '/g', false);

    expect((await stored('g')).toString()).toBe('content');
    await expect(direct.headObject(bucket, 'a/f')).rejects.toMatchObject({ kind: 'missing' });
    expect(await fs.getAttributes('/g')).toMatchObject({ mode: 0o640, mtime: 1_000_000, size: 7 });
    await expect(fs.getAttributes('/a/f')).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await fs.getAttributes('/a')).kind).toBe('folder');
  });

  it('is done, and the log says so, where the local disk keeps the copy that it needed [rename/copy]', async () => {
    const localFiles = new FailingDisk();
    const log = new LogForTest();
    const scene = await openForTest({ localFiles, log });
    await scene.foreignWrite('f', 'content');
    await scene.foreignWrite('g', 'replaced');
    localFiles.failures.set('remove', 'EIO');

    await scene.fs.rename('/f', '/g', false);

    localFiles.failures.clear();
    expect(await textsOf(scene)).toEqual({ g: 'content' });
    expect(log.about('local copy of a stored file')).toMatchObject([
      { level: 'error', fields: { path: '/f' } },
    ]);
  });

  it('carries a Content-Type, and guesses it anew where it was guessed [rename/type]', async () => {
    const { fs, foreignWrite, direct, bucket } = await openForTest();
    await foreignWrite('page.tmp', 'x', 'text/x-special');
    await foreignWrite('pic.png', 'x', 'image/png');

    await fs.rename('/page.tmp', '/page.html', false);
    await fs.rename('/pic.png', '/pic.txt', false);

    expect((await direct.headObject(bucket, 'page.html')).contentType).toBe('text/x-special');
    expect((await direct.headObject(bucket, 'pic.txt')).contentType).toBe('text/plain');
  });

  it('replaces an existing file, unless told not to', async () => {
    const { fs, foreignWrite, stored } = await openForTest();
    await foreignWrite('a', 'a');
    await foreignWrite('b', 'b');

    await expect(fs.rename('/a', '/b', true)).rejects.toMatchObject({ code: 'EEXIST' });
    await fs.rename('/a', '/b', false);

    expect((await stored('b')).toString()).toBe('a');
    expect(await names(fs, '/')).toEqual(['b']);
  });

  it('refuses what cannot be, and asks for nothing to be changed', async () => {
    const { fs, foreignWrite, asked } = await openForTest();
    await foreignWrite('f', '');
    await foreignWrite('d/x', '');

    await expect(fs.rename('/absent', '/g', false)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(fs.rename('/f', '/d', false)).rejects.toMatchObject({ code: 'EISDIR' });
    await expect(fs.rename('/f', '/no/g', false)).rejects.toMatchObject({ code: 'ENOENT' });
    await fs.rename('/f', '/f', false);

    expect(asked().filter((line) => /^(put|delete)/.test(line))).toEqual([]);
  });

  it('takes open handles along, and what they write then [rename/handles]', async () => {
    const { fs, foreignWrite, stored } = await openForTest();
    await foreignWrite('f', 'base');
    const handle = await openToEdit(fs, '/f');

    await fs.rename('/f', '/g', false);
    expect(await textAt(fs, handle)).toBe('base');
    await writeAt(fs, handle, 'B');
    await fs.flush(handle);
    await fs.release(handle);

    expect((await stored('g')).toString()).toBe('Base');
    expect(await names(fs, '/')).toEqual(['g']);
  });

  it('leaves readers of the file it replaces their bytes', async () => {
    const { fs, foreignWrite } = await openForTest();
    await foreignWrite('a', 'new');
    await foreignWrite('b', 'old');
    const reader = await openToRead(fs, '/b');

    await fs.rename('/a', '/b', false);

    expect(await textAt(fs, reader)).toBe('old');
    expect((await readFile(fs, '/b')).toString()).toBe('new');
    await fs.release(reader);
  });

  it('of an unsent draft over a stored file is free, and the draft replaces it [rename/draft]', async () => {
    const { fs, foreignWrite, stored, asked } = await openForTest();
    await foreignWrite('f', 'old');
    await names(fs, '/');
    const handle = await openToRewrite(fs, '/tmp');
    await writeAt(fs, handle, 'new');
    asked();

    await fs.rename('/tmp', '/f', false);

    expect(asked()).toEqual([]);
    expect(await names(fs, '/')).toEqual(['f']);
    expect((await readFile(fs, '/f')).toString()).toBe('new');
    await fs.flush(handle);
    await fs.release(handle);
    expect((await stored('f')).toString()).toBe('new');
  });

  it('of a draft over a stored file sends the draft', async () => {
    const { fs, foreignWrite, stored } = await openForTest();
    await foreignWrite('f', 'old');
    const handle = await openToEdit(fs, '/f');
    await writeAt(fs, handle, 'new');

    await fs.rename('/f', '/g', false);
    await fs.flush(handle);
    await fs.release(handle);

    expect((await stored('g')).toString()).toBe('new');
    expect(await names(fs, '/')).toEqual(['g']);
  });
});

describe('a rename that fails', () => {
  // What was only not answered may be done yet: the copy would be the only one.
  const failures: [string, Fault, string, readonly string[]][] = [
    ['is refused: the copy goes where its name was free', { kind: 'status', status: 403 }, 'EACCES', ['f']],
    ['fails again and again: the copy stays', { kind: 'status', status: 503 }, 'EIO', ['f', 'g']],
    ['is never answered: the copy stays', { kind: 'stall' }, 'ETIMEDOUT', ['f', 'g']],
  ];

  it.each(failures)('when the DELETE %s [rename/undo]', async (_what, fault, code, left) => {
    const { fs, foreignWrite, faults, stored } = await openForTest();
    await foreignWrite('f', 'content');
    faults.add({ operation: 'deleteObject', key: 'f', times: Infinity, fault });

    await expect(fs.rename('/f', '/g', false)).rejects.toMatchObject({ code });

    expect(await names(fs, '/')).toEqual(left);
    expect((await stored('f')).toString()).toBe('content');
    expect((await readFile(fs, '/f')).toString()).toBe('content');
  });

  it('has not failed when only the answer to the DELETE was lost', async () => {
    const { fs, foreignWrite, faults, stored } = await openForTest();
    await foreignWrite('f', 'content');
    faults.add({ operation: 'deleteObject', fault: { kind: 'lost-answer' } });

    await fs.rename('/f', '/g', false);

    expect(await names(fs, '/')).toEqual(['g']);
    expect((await stored('g')).toString()).toBe('content');
  });

  it.each([404, 403, 409])(
    'has not failed when the old file is gone though the service answers its DELETE with %d [rename/copy]',
    async (status) => {
      const { fs, foreignWrite, faults, direct, bucket, service, stored } = await openForTest();
      await foreignWrite('f', 'content');
      faults.add({ operation: 'deleteObject', fault: { kind: 'status', status } });
      const remove = service.deleteObject.bind(service);
      service.deleteObject = async (...call) => {
        await direct.deleteObject(bucket, 'f');
        return remove(...call);
      };

      await fs.rename('/f', '/g', false);

      expect(await names(fs, '/')).toEqual(['g']);
      expect((await stored('g')).toString()).toBe('content');
    },
  );

  it('keeps the copy when nobody knows whether the old file is gone [rename/undo]', async () => {
    const { fs, foreignWrite, faults, stored } = await openForTest();
    await foreignWrite('f', 'content');
    faults.add({ operation: 'deleteObject', fault: { kind: 'lost-answer' } });
    faults.add({ operation: 'headObject', key: 'f', skip: 2, fault: { kind: 'reset' } });

    await expect(fs.rename('/f', '/g', false)).rejects.toMatchObject({ code: 'EIO' });

    expect((await stored('g')).toString()).toBe('content');
    expect(await names(fs, '/')).toEqual(['g']);
  });

  it('when the upload is refused: nothing has changed [rename/copy]', async () => {
    const { fs, foreignWrite, faults } = await openForTest();
    await foreignWrite('f', 'content');
    faults.add({ operation: 'putObject', fault: { kind: 'status', status: 402 } });

    await expect(fs.rename('/f', '/g', false)).rejects.toMatchObject({ code: 'EDQUOT' });

    expect(await names(fs, '/')).toEqual(['f']);
    expect((await readFile(fs, '/f')).toString()).toBe('content');
  });

  it('when the answer to the upload was lost: the copy goes [rename/undo]', async () => {
    const { fs, foreignWrite, faults } = await openForTest();
    await foreignWrite('f', 'content');
    faults.add({ operation: 'putObject', fault: { kind: 'lost-answer' } });

    await expect(fs.rename('/f', '/g', false)).rejects.toMatchObject({ code: 'EIO' });

    expect(await names(fs, '/')).toEqual(['f']);
  });

  it('when the copy cannot be made public: it goes, and the old link works', async () => {
    const { fs, foreignWrite, faults, direct, bucket } = await openForTest();
    await foreignWrite('f', 'content');
    await direct.setVisibility(bucket, 'f', 'public');
    faults.add({ operation: 'setVisibility', fault: { kind: 'status', status: 503 } });

    await expect(fs.rename('/f', '/g', false)).rejects.toMatchObject({ code: 'EIO' });

    expect(await names(fs, '/')).toEqual(['f']);
    expect((await direct.getVisibility(bucket, 'f')).visibility).toBe('public');
  });

  it('over an unsent draft, when the copy cannot be made public: the draft stays, and is stored in its place, private [rename/undo]', async () => {
    const { fs, mounted, foreignWrite, stored, faults, direct, bucket, stateDirectory } = await openForTest();
    await foreignWrite('f', 'content');
    await direct.setVisibility(bucket, 'f', 'public');
    faults.add({ operation: 'putObject', key: 'g', fault: { kind: 'status', status: 402 } });
    await expect(writeFile(fs, '/g', 'draft')).rejects.toMatchObject({ code: 'EDQUOT' });
    faults.add({ operation: 'setVisibility', fault: { kind: 'status', status: 503 } });

    await expect(fs.rename('/f', '/g', false)).rejects.toMatchObject({ code: 'EIO' });

    expect((await readFile(fs, '/g')).toString()).toBe('draft');
    expect(await mounted.close({ patience: 60_000 })).toEqual([]);
    expect((await stored('g')).toString()).toBe('draft');
    expect((await direct.getVisibility(bucket, 'g')).visibility).toBe('private');
    expect((await stored('f')).toString()).toBe('content');
    expect(await readdir(join(stateDirectory, 'drafts'))).toEqual([]);
  });

  it('with ESTALE when somebody else replaced the file meanwhile: both files are whole [rename/version]', async () => {
    const { fs, foreignWrite, stored, direct, bucket } = await openForTest();
    await foreignWrite('f', 'old');
    await readFile(fs, '/f');
    await foreignWrite('f', 'theirs');

    await expect(fs.rename('/f', '/g', false)).rejects.toMatchObject({ code: 'ESTALE' });

    expect((await stored('f')).toString()).toBe('theirs');
    await expect(direct.headObject(bucket, 'g')).rejects.toMatchObject({ kind: 'missing' });
    expect((await readFile(fs, '/f')).toString()).toBe('theirs');
  });

  it('with ESTALE when somebody else took the new name meanwhile: neither file is removed [rename/version]', async () => {
    const { fs, foreignWrite, faults, stored } = await openForTest();
    await foreignWrite('f', 'mine');
    const etag = 'f'.repeat(32);
    faults.add({ operation: 'headObject', key: 'g', skip: 1, fault: { kind: 'changed-etag', etag } });

    await expect(fs.rename('/f', '/g', false)).rejects.toMatchObject({ code: 'ESTALE' });

    expect((await stored('f')).toString()).toBe('mine');
    expect((await stored('g')).toString()).toBe('mine');
  });

  it('is a draft’s upload that waits: the new name keeps showing it', async () => {
    const { fs, store, stored } = await openForTest();
    store.changeAccount({ gracePeriod: true });
    await expect(writeFile(fs, '/a', 'a')).rejects.toMatchObject({ code: 'EDQUOT' });

    await fs.rename('/a', '/b', false);
    expect((await readFile(fs, '/b')).toString()).toBe('a');
    store.changeAccount({ gracePeriod: false });
    await edit(fs, '/b', '!', 1);

    expect((await stored('b')).toString()).toBe('a!');
  });
});
