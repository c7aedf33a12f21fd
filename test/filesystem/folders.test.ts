/** SEMANTICS: folders, on services that treat them differently. */
import { describe, expect, it } from 'vitest';
import type { Behaviours } from '../../src/server/behaviours.ts';
import { names, openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { LogForTest, openToRewrite } from '../support/program-acts.ts';

function openWith(behaviours: Partial<Behaviours>, log = new LogForTest()): Promise<FileSystemForTest> {
  return openForTest({ store: { behaviours }, log });
}

const services: Partial<Behaviours>[] = (['implicit', 'lasting', 'vanishing'] as const).flatMap((folders) =>
  (['removes', 'ignored', 'refused'] as const).flatMap((deleteFolder) =>
    (['empty', 'missing'] as const).map((missingFolder) => ({ folders, deleteFolder, missingFolder })),
  ),
);

describe.each(services)(
  'with folders $folders, DELETE $deleteFolder, missing listed as $missingFolder',
  (behaviours) => {
    it('mkdir makes a folder that others see, once', async () => {
      const { fs, direct, bucket } = await openWith(behaviours);

      await fs.mkdir('/d', 0o755);
      await fs.mkdir('/d/e', 0o755);

      expect(await names(fs, '/d')).toEqual(['e']);
      expect((await direct.listObjects(bucket, { folder: '' })).folders).toEqual(['d/']);
      await expect(fs.mkdir('/d', 0o755)).rejects.toMatchObject({ code: 'EEXIST' });
      await expect(fs.mkdir('/no/e', 0o755)).rejects.toMatchObject({ code: 'ENOENT' });
      await writeFile(fs, '/f', '');
      await expect(fs.mkdir('/f', 0o755)).rejects.toMatchObject({ code: 'EEXIST' });
    });

    it('rmdir says yes only when the folder is gone for everybody [folders/truth]', async () => {
      const { fs, direct, bucket, clock } = await openWith(behaviours);
      await fs.mkdir('/made', 0o755);
      await fs.mkdir('/filled', 0o755);
      await writeFile(fs, '/filled/x', '');
      await fs.unlink('/filled/x');

      for (const path of ['/made', '/filled']) {
        const removed = await fs.rmdir(path).then(
          () => true,
          (error: unknown) => {
            expect(error).toMatchObject({ code: 'EPERM' });
            return false;
          },
        );
        const seen = (await direct.listObjects(bucket, { folder: '' })).folders.includes(`${path.slice(1)}/`);
        expect(seen).toBe(!removed);
        clock.advance(10_000);
        expect((await names(fs, '/')).includes(path.slice(1))).toBe(!removed);
      }
    });

    it('a folder stays in sight when its last file goes, and is made real after three seconds [folders/stay]', async () => {
      const { fs, direct, bucket, clock, foreignWrite } = await openWith(behaviours);
      await foreignWrite('d/x', '');
      await names(fs, '/d');

      await fs.unlink('/d/x');
      expect((await fs.getAttributes('/d')).kind).toBe('folder');
      expect(await names(fs, '/d')).toEqual([]);
      clock.advance(3000);
      await expect
        .poll(async () => (await direct.listObjects(bucket, { folder: '' })).folders)
        .toEqual(['d/']);
      clock.advance(10_000);

      expect(await names(fs, '/')).toEqual(['d']);
    });

    it('and so do the folders that it is in [folders/stay]', async () => {
      const { fs, direct, bucket, clock, foreignWrite, mounted } = await openWith(behaviours);
      await foreignWrite('d/e/f/x', '');
      for (const path of ['/', '/d', '/d/e', '/d/e/f']) await names(fs, path);

      await fs.unlink('/d/e/f/x');
      // All that was known is old; the three seconds are not over.
      clock.advance(2500);
      mounted.refresh('/');

      expect(await names(fs, '/')).toEqual(['d']);
      expect(await names(fs, '/d')).toEqual(['e']);
      expect(await names(fs, '/d/e')).toEqual(['f']);
      clock.advance(1000);
      await expect
        .poll(async () => (await direct.listObjects(bucket, { folder: 'd/e' })).folders)
        .toEqual(['d/e/f/']);
    });

    it('also when a rename took its last file, and nobody ever listed it [folders/stay]', async () => {
      const { fs, clock, foreignWrite } = await openWith(behaviours);
      await foreignWrite('d/e/x', 'bytes');

      await fs.rename('/d/e/x', '/x', false);
      for (let looks = 0; looks < 2; looks += 1) {
        clock.advance(20_000);
        expect(await names(fs, '/')).toEqual(['d', 'x']);
      }

      expect((await fs.getAttributes('/d/e')).kind).toBe('folder');
      expect(await names(fs, '/d')).toEqual(['e']);
      expect(await names(fs, '/d/e')).toEqual([]);
    });

    it('rmdir refuses a folder with anything in it [folders/rmdir]', async () => {
      const { fs, foreignWrite } = await openWith(behaviours);
      await foreignWrite('file/x', '');
      await foreignWrite('folder/y/z', '');
      await foreignWrite('hidden//x', '');
      await fs.mkdir('/draft', 0o755);
      const handle = await openToRewrite(fs, '/draft/x');

      for (const path of ['/file', '/folder', '/hidden', '/draft']) {
        await expect(fs.rmdir(path)).rejects.toMatchObject({ code: 'ENOTEMPTY', path });
      }
      await expect(fs.rmdir('/file/x')).rejects.toMatchObject({ code: 'ENOTDIR' });
      await expect(fs.rmdir('/absent')).rejects.toMatchObject({ code: 'ENOENT' });
      await expect(fs.rmdir('/')).rejects.toMatchObject({ code: 'EBUSY' });
      await fs.release(handle);
    });
  },
);

describe('what rmdir learns', () => {
  it('one folder that was listed empty and went: no look from then on', async () => {
    const { fs, direct, bucket, asked } = await openWith({});
    for (const folder of ['a', 'b']) await direct.createFolder(bucket, folder);
    for (const path of ['/', '/a', '/b']) await names(fs, path);
    asked();

    await fs.rmdir('/a');
    expect(asked()).toEqual(['deleteObject a/', 'listObjects']);
    await fs.rmdir('/b');

    expect(asked()).toEqual(['deleteObject b/']);
  });

  it.each([
    ['stayed', 'ignored'],
    ['stayed, of which the service says that it cannot be deleted', 'refused'],
  ] as const)(
    'one that %s: EPERM from then on, one log line, folder in sight [folders/truth]',
    async (_, deleteFolder) => {
      const log = new LogForTest();
      const { fs, direct, bucket } = await openWith({ deleteFolder }, log);
      for (const folder of ['a', 'b']) await direct.createFolder(bucket, folder);

      await expect(fs.rmdir('/a')).rejects.toMatchObject({ code: 'EPERM' });
      await expect(fs.rmdir('/b')).rejects.toMatchObject({ code: 'EPERM' });

      expect(log.about('does not remove folders')).toHaveLength(1);
      expect(await names(fs, '/')).toEqual(['a', 'b']);
    },
  );

  it('nothing from one that somebody else filled meanwhile: ENOTEMPTY', async () => {
    const { fs, direct, bucket, foreignWrite } = await openWith({});
    for (const folder of ['a', 'b']) await direct.createFolder(bucket, folder);
    for (const path of ['/', '/a', '/b']) await names(fs, path);
    await foreignWrite('a/x', '');

    await expect(fs.rmdir('/a')).rejects.toMatchObject({ code: 'ENOTEMPTY' });
    await fs.rmdir('/b');

    expect(await names(fs, '/')).toEqual(['a']);
    expect(await names(fs, '/a')).toEqual(['x']);
  });

  it('nothing from one that somebody else filled meanwhile, where the service refuses to delete such: ENOTEMPTY', async () => {
    const { fs, direct, bucket, foreignWrite, faults } = await openWith({});
    for (const folder of ['a', 'b']) await direct.createFolder(bucket, folder);
    for (const path of ['/', '/a', '/b']) await names(fs, path);
    await fs.rmdir('/b');
    await foreignWrite('a/x', '');
    faults.add({ operation: 'deleteObject', fault: { kind: 'status', status: 409 } });

    await expect(fs.rmdir('/a')).rejects.toMatchObject({ code: 'ENOTEMPTY' });

    expect(await names(fs, '/a')).toEqual(['x']);
  });

  it('that one stays of which the service says that it knows no such request: EPERM [folders/truth]', async () => {
    const { fs, direct, bucket, faults } = await openWith({});
    await direct.createFolder(bucket, 'a');
    await names(fs, '/');
    await names(fs, '/a');
    faults.add({ operation: 'deleteObject', times: Infinity, fault: { kind: 'status', status: 501 } });

    await expect(fs.rmdir('/a')).rejects.toMatchObject({ code: 'EPERM' });

    expect(await names(fs, '/')).toEqual(['a']);
  });

  it('that one is gone which the service says is missing, when it shows none [folders/truth]', async () => {
    const { fs, direct, bucket, faults } = await openWith({});
    await direct.createFolder(bucket, 'a');
    await names(fs, '/');
    await names(fs, '/a');
    await direct.deleteObject(bucket, 'a/');
    faults.add({ operation: 'deleteObject', fault: { kind: 'status', status: 404 } });

    await fs.rmdir('/a');

    expect(await names(fs, '/')).toEqual([]);
  });

  it('nothing about one with keys that cannot be shown: ENOTEMPTY, and nothing is sent [folders/rmdir]', async () => {
    const { fs, direct, bucket, foreignWrite, asked } = await openWith({});
    await direct.createFolder(bucket, 'a');
    await foreignWrite('hidden//x', '');
    for (const path of ['/', '/a', '/hidden']) await names(fs, path);
    await fs.rmdir('/a');
    asked();

    await expect(fs.rmdir('/hidden')).rejects.toMatchObject({ code: 'ENOTEMPTY' });

    expect(asked()).toEqual([]);
  });

  it('no request is needed for a folder that only we kept', async () => {
    const { fs, foreignWrite, asked, clock } = await openWith({});
    await foreignWrite('d/x', '');
    await names(fs, '/d');
    clock.advance(8000);
    await fs.unlink('/d/x');
    clock.advance(2000);
    // The listing is old, so the parent is listed anew: the service does not show the folder any more.
    expect((await fs.getAttributes('/d')).kind).toBe('folder');
    expect(await names(fs, '/d')).toEqual([]);
    asked();

    await fs.rmdir('/d');

    expect(asked()).toEqual([]);
    expect(await names(fs, '/')).toEqual([]);
  });

  it('a DELETE that fails is an error, and the folder stays', async () => {
    const { fs, direct, bucket, faults } = await openWith({});
    await direct.createFolder(bucket, 'a');
    await names(fs, '/');
    faults.add({ operation: 'deleteObject', fault: { kind: 'status', status: 403 } });

    await expect(fs.rmdir('/a')).rejects.toMatchObject({ code: 'EACCES' });

    expect(await names(fs, '/')).toEqual(['a']);
  });
});

describe('emptied folders', () => {
  it('are made real at unmount [folders/stay]', async () => {
    const { fs, foreignWrite, direct, bucket, mounted } = await openWith({});
    await foreignWrite('d/x', '');
    await fs.unlink('/d/x');

    await mounted.close({ patience: 60_000 });

    expect((await direct.listObjects(bucket, { folder: '' })).folders).toEqual(['d/']);
  });

  it('cost nothing when a new file comes before the three seconds are over', async () => {
    const { fs, foreignWrite, asked, clock } = await openWith({});
    await foreignWrite('d/x', '');
    await names(fs, '/d');
    await fs.unlink('/d/x');
    await writeFile(fs, '/d/y', '');
    asked();

    clock.advance(3000);
    await new Promise((resolve) => setTimeout(resolve, 20));

    expect(asked()).toEqual([]);
  });

  it('are none when a file goes that was never stored [scratch/local]', async () => {
    const { fs, clock, direct, bucket, asked } = await openWith({});
    await direct.createFolder(bucket, 'd');
    for (const path of ['/', '/d']) await names(fs, path);
    asked();
    await writeFile(fs, '/d/.notes.swp', 'b0VIM');

    await fs.unlink('/d/.notes.swp');

    clock.advance(3500);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(asked()).toEqual([]);
  });

  it('that were emptied only just now are not made real beside others, but three seconds later [folders/stay]', async () => {
    const { fs, foreignWrite, direct, bucket, asked, clock } = await openWith({});
    await foreignWrite('d/x', '');
    await foreignWrite('e/x', '');
    await names(fs, '/d');
    await names(fs, '/e');
    await fs.unlink('/d/x');
    clock.advance(2900);
    await fs.unlink('/e/x');
    asked();

    clock.advance(100);
    await expect.poll(async () => (await direct.listObjects(bucket, { folder: '' })).folders).toEqual(['d/']);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(asked()).toEqual(['createFolder d']);
    clock.advance(2900);

    await expect
      .poll(async () => (await direct.listObjects(bucket, { folder: '' })).folders)
      .toEqual(['d/', 'e/']);
  });

  it('that could not be made real are tried again, and reported', async () => {
    const log = new LogForTest();
    const { fs, foreignWrite, direct, bucket, clock, faults } = await openWith({}, log);
    await foreignWrite('d/x', '');
    await names(fs, '/d');
    await fs.unlink('/d/x');
    faults.add({ operation: 'createFolder', fault: { kind: 'status', status: 503 } });

    clock.advance(3000);
    await expect.poll(() => log.about('could not be made to stay')).toHaveLength(1);
    clock.advance(30_000);

    await expect.poll(async () => (await direct.listObjects(bucket, { folder: '' })).folders).toEqual(['d/']);
  });

  it('that could not be made real hold up none that is emptied later', async () => {
    const log = new LogForTest();
    const { fs, foreignWrite, direct, bucket, clock, faults } = await openWith({}, log);
    await foreignWrite('d/x', '');
    await foreignWrite('e/x', '');
    await names(fs, '/d');
    await names(fs, '/e');
    await fs.unlink('/d/x');
    faults.add({ operation: 'createFolder', fault: { kind: 'status', status: 403 } });
    clock.advance(3000);
    await expect.poll(() => log.about('could not be made to stay')).toHaveLength(1);

    await fs.unlink('/e/x');
    clock.advance(3000);

    await expect.poll(async () => (await direct.listObjects(bucket, { folder: '' })).folders).toContain('e/');
  });
});
