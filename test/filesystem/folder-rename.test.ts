/** SEMANTICS: renaming folders on a service that cannot even rename files. */
import { describe, expect, it } from 'vitest';
import type { Behaviours } from '../../src/server/behaviours.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import {
  LogForTest,
  openToEdit,
  openToRead,
  openToRewrite,
  textAt,
  writeAt,
  xattr,
} from '../support/program-acts.ts';
import { namesBelow } from '../model/service-contents.ts';

const services: Partial<Behaviours>[] = (['implicit', 'lasting'] as const).flatMap((folders) =>
  (['md5', 'random'] as const).map((etag) => ({ folders, etag })),
);

describe.each(services)('a renamed folder, with folders $folders and ETags $etag', (behaviours) => {
  it('has all its files and folders under the new name, and nothing is left under the old [rename/folders]', async () => {
    const { fs, direct, bucket, stored, foreignWrite, clock } = await openForTest({ store: { behaviours } });
    await foreignWrite('d/a', 'content of a');
    await foreignWrite('d/s/t/b', 'content of b');
    await fs.mkdir('/d/empty', 0o755);
    await fs.mkdir('/d/s/empty too', 0o755);

    await fs.rename('/d', '/e', false);

    const shown = [
      await names(fs, '/'),
      await names(fs, '/e'),
      await names(fs, '/e/s'),
      await names(fs, '/e/s/t'),
    ];
    expect(shown).toEqual([['e'], ['a', 'empty', 's'], ['empty too', 't'], ['b']]);
    const held = await namesBelow(direct, bucket, '');
    expect([...held.files].sort()).toEqual(['e/a', 'e/s/t/b']);
    expect([...held.folders].sort()).toEqual(['e/', 'e/empty/', 'e/s/', 'e/s/empty too/', 'e/s/t/']);
    expect((await stored('e/a')).toString()).toBe('content of a');
    expect((await readFile(fs, '/e/s/t/b')).toString()).toBe('content of b');
    clock.advance(20_000);
    expect(await names(fs, '/')).toEqual(['e']);
    await expect(fs.getAttributes('/d/a')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('does not replace a folder that others have just filled [rename/folders]', async () => {
    const { fs, foreignWrite, stored } = await openForTest({ store: { behaviours } });
    await foreignWrite('d/a', 'ours');
    await fs.mkdir('/e', 0o755);
    expect(await names(fs, '/e')).toEqual([]);
    await foreignWrite('e/a', 'theirs');

    await expect(fs.rename('/d', '/e', false)).rejects.toMatchObject({ code: 'ENOTEMPTY' });

    expect((await stored('e/a')).toString()).toBe('theirs');
    expect((await stored('d/a')).toString()).toBe('ours');
  });

  it('replaces an empty folder, and goes back and forth', async () => {
    const { fs, stored } = await openForTest({ store: { behaviours } });
    await fs.mkdir('/d', 0o755);
    await writeFile(fs, '/d/a', 'a');
    await fs.mkdir('/e', 0o755);

    await fs.rename('/d', '/e', false);
    expect(await names(fs, '/')).toEqual(['e']);
    await fs.rename('/e', '/d', false);

    expect(await names(fs, '/')).toEqual(['d']);
    expect((await stored('d/a')).toString()).toBe('a');
  });
});

describe('a rename of a folder', () => {
  it('carries modes, times, visibility and types of all that is in it [rename/folders] [visibility/rename]', async () => {
    const { fs, direct, bucket, foreignWrite } = await openForTest();
    await foreignWrite('d/page', 'x', 'text/x-special');
    await direct.setVisibility(bucket, 'd/page', 'public');
    await fs.mkdir('/d/s', 0o750);
    await fs.setAttributes('/d/page', { mode: 0o640, mtime: 1_000_000 });
    await fs.setAttributes('/d', { mode: 0o700, mtime: 2_000_000 });

    await fs.rename('/d', '/e', false);

    expect(await fs.getAttributes('/e')).toMatchObject({ kind: 'folder', mode: 0o700, mtime: 2_000_000 });
    expect(await fs.getAttributes('/e/s')).toMatchObject({ kind: 'folder', mode: 0o750 });
    expect(await fs.getAttributes('/e/page')).toMatchObject({ mode: 0o640, mtime: 1_000_000 });
    expect(await xattr(fs, '/e/page', 'user.mime_type')).toBe('text/x-special');
    expect((await direct.getVisibility(bucket, 'e/page')).visibility).toBe('public');
  });

  it('takes open handles along, and files that were never stored [rename/handles] [rename/draft]', async () => {
    const { fs, foreignWrite, stored, direct, bucket } = await openForTest();
    await foreignWrite('d/stored', 'base');
    await foreignWrite('d/read', 'only read');
    const editor = await openToEdit(fs, '/d/stored');
    const reader = await openToRead(fs, '/d/read');
    const fresh = await openToRewrite(fs, '/d/fresh');
    await writeAt(fs, fresh, 'fre');

    await fs.rename('/d', '/e', false);
    await writeAt(fs, editor, 'B');
    await writeAt(fs, fresh, 'sh', 3);
    for (const handle of [editor, fresh]) await fs.flush(handle);

    expect(await textAt(fs, reader)).toBe('only read');
    for (const handle of [editor, fresh, reader]) await fs.release(handle);
    expect((await stored('e/stored')).toString()).toBe('Base');
    expect((await stored('e/fresh')).toString()).toBe('fresh');
    expect([...(await namesBelow(direct, bucket, '')).files].sort()).toEqual([
      'e/fresh',
      'e/read',
      'e/stored',
    ]);
  });

  it('is refused where rename(2) is, and asks for nothing to be changed [rename/folders]', async () => {
    const { fs, foreignWrite, asked } = await openForTest();
    await foreignWrite('d/x', '');
    await foreignWrite('full/x', '');
    await foreignWrite('file', '');
    await foreignWrite('hidden//x', '');
    const refused = (code: string, ...names: [string, string, boolean]): Promise<void> =>
      expect(fs.rename(...names)).rejects.toMatchObject({ code });

    await refused('ENOTEMPTY', '/d', '/full', false);
    await refused('ENOTDIR', '/d', '/file', false);
    await refused('EINVAL', '/d', '/d/e', false);
    await refused('EEXIST', '/d', '/full', true);
    await refused('EEXIST', '/d', '/file', true);
    await refused('ENOENT', '/d', '/no/e', false);
    await refused('ENOTDIR', '/d', '/file/e', false);
    await refused('EISDIR', '/file', '/d', false);
    await refused('EPERM', '/hidden', '/e', false);
    await refused('ENOTEMPTY', '/d', '/hidden', false);
    await fs.rename('/d', '/d', false);

    expect(asked().filter((line) => /^(put|delete|create)/.test(line))).toEqual([]);
  });

  it('is EXDEV when there are more files than rename_limit, with one line in the log [rename/limit]', async () => {
    const log = new LogForTest();
    const { fs, foreignWrite, asked } = await openForTest({ log, settings: { renameLimit: 3 } });
    for (const key of ['d/1', 'd/2', 'd/s/3', 'e/1', 'e/2', 'e/s/3', 'e/s/4']) await foreignWrite(key, key);

    await fs.rename('/d', '/d2', false);
    asked();
    await expect(fs.rename('/e', '/e2', false)).rejects.toMatchObject({ code: 'EXDEV' });

    expect(asked().filter((line) => /^(put|delete|create)/.test(line))).toEqual([]);
    expect(log.about('rename_limit')).toHaveLength(1);
    expect(await names(fs, '/')).toEqual(['d2', 'e']);
  });

  it('of an empty folder asks to make the one and to delete the other', async () => {
    const { fs, asked } = await openForTest();
    await fs.mkdir('/d', 0o755);
    await names(fs, '/');
    asked();

    await fs.rename('/d', '/e', false);

    expect(asked()).toEqual(['createFolder e', 'deleteObject d/', 'listObjects']);
    expect(await names(fs, '/')).toEqual(['e']);
  });

  it.each([1, 20])(
    'of %d listed files costs what they cost, and three requests [rename/folders]',
    async (count) => {
      const { fs, foreignWrite, asked } = await openForTest();
      for (let file = 0; file < count; file += 1) await foreignWrite(`d/${file}`, 'content');
      await names(fs, '/');
      await names(fs, '/d');
      asked();

      await fs.rename('/d', '/e', false);

      const counts = new Map<string, number>();
      for (const line of asked()) {
        const operation = line.replace(/ .*/, '');
        counts.set(operation, (counts.get(operation) ?? 0) + 1);
      }
      expect(Object.fromEntries(counts)).toEqual({
        createFolder: 1,
        getVisibility: count,
        getObject: count,
        putObject: count,
        headObject: 2 * count,
        deleteObject: count + 1,
        listObjects: 1,
      });
      expect((await names(fs, '/e')).length).toBe(count);
      expect(asked()).toEqual([]);
    },
  );

  it('leaves what somebody else puts into it meanwhile, under the old name', async () => {
    const log = new LogForTest();
    const { fs, foreignWrite, stored, clock } = await openForTest({ log });
    await foreignWrite('d/a', 'a');
    await names(fs, '/d');
    await foreignWrite('d/theirs', 'theirs');

    await fs.rename('/d', '/e', false);

    expect((await stored('d/theirs')).toString()).toBe('theirs');
    expect((await stored('e/a')).toString()).toBe('a');
    clock.advance(10_000);
    expect(await names(fs, '/')).toEqual(['d', 'e']);
  });

  it.each(['ignored', 'refused'] as const)(
    'fails on a service that does not remove folders (%s), with everything where it was, and is EXDEV from then on [rename/folders]',
    async (deleteFolder) => {
      const behaviours = { folders: 'lasting', deleteFolder } as const;
      const { fs, foreignWrite, stored } = await openForTest({ store: { behaviours } });
      await foreignWrite('d/a', 'a');

      await expect(fs.rename('/d', '/e', false)).rejects.toMatchObject({ code: 'EPERM' });
      expect((await stored('d/a')).toString()).toBe('a');
      expect(await names(fs, '/d')).toEqual(['a']);
      await expect(fs.rename('/d', '/f', false)).rejects.toMatchObject({ code: 'EXDEV' });
    },
  );

  it('is waited for by who creates a file in it, who finds it gone then', async () => {
    const { fs, foreignWrite, direct, bucket } = await openForTest();
    await foreignWrite('d/a', 'a');

    const renaming = fs.rename('/d', '/e', false);
    const creating = writeFile(fs, '/d/late', 'late');
    await expect(creating).rejects.toMatchObject({ code: 'ENOENT' });
    await renaming;

    expect([...(await namesBelow(direct, bucket, '')).files]).toEqual(['e/a']);
  });

  it('takes no name below which files wait to be stored, though somebody else has removed their folder', async () => {
    const scene = await openForTest({ settings: { writeBack: true } });
    await scene.foreignWrite('d/a', 'other');
    await scene.fs.mkdir('/e', 0o755);
    await writeFile(scene.fs, '/e/a', 'promised');
    await scene.direct.deleteObject(scene.bucket, 'e/');
    scene.mounted.refresh('/');
    expect(await names(scene.fs, '/')).toEqual(['d']);

    await expect(scene.fs.rename('/d', '/e', false)).rejects.toMatchObject({ code: 'ENOTEMPTY' });
    await drained(scene.mounted);

    expect((await scene.stored('e/a')).toString()).toBe('promised');
    expect((await scene.stored('d/a')).toString()).toBe('other');
  });

  it('takes along a file of whose upload nobody knows, over a kill, too [write-back/crash]', async () => {
    const scene = await openForTest({ settings: { writeBack: true } });
    await scene.fs.mkdir('/d', 0o755);
    await writeFile(scene.fs, '/d/a', 'promised');
    scene.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'reset' } });
    await expect(drained(scene.mounted)).rejects.toThrow('/d/a');
    await scene.fs.rename('/d', '/e', false);
    scene.faults.clear();

    const next = await mountOver(await diskNow(scene), scene);
    await drained(next);

    expect(await names(next.operations, '/')).toEqual(['e']);
    expect((await scene.stored('e/a')).toString()).toBe('promised');
  });
});
