/** The request budget (design §4): exact lists of operations, for a warm pool and no faults: names and changes. */
import { describe, expect, it } from 'vitest';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { edit, openToRewrite, setXattr, writeAt } from '../support/program-acts.ts';

const VISIBILITY = 'user.pailfs.visibility';

describe('looking', () => {
  it('lists 2,500 names with three pages and stats them all for nothing', async () => {
    const { fs, foreignWrite, asked } = await openForTest();
    for (let index = 0; index < 2500; index += 1) await foreignWrite(`f${index}`, '');

    expect(await names(fs, '/')).toHaveLength(2500);
    expect(asked()).toEqual(['listObjects', 'listObjects', 'listObjects']);
    await fs.getAttributes('/f0');
    await fs.getAttributes('/f2499');
    await names(fs, '/');
    await expect(fs.getAttributes('/absent')).rejects.toMatchObject({ code: 'ENOENT' });

    expect(asked()).toEqual([]);
  });

  it('renews one name of a long listing with one HEAD, and one folder with one page', async () => {
    const { fs, foreignWrite, asked, clock } = await openForTest();
    for (let index = 0; index < 1001; index += 1) await foreignWrite(`f${index}`, '');
    await foreignWrite('folder/x', '');
    await names(fs, '/');
    clock.advance(10_000);
    asked();

    await fs.getAttributes('/f7');
    await fs.getAttributes('/f7');
    expect(asked()).toEqual(['headObject f7']);
    await fs.getAttributes('/folder');

    expect(asked()).toEqual(['listObjects folder']);
  });

  it('renews all names of a one-page folder with one page', async () => {
    const { fs, foreignWrite, asked, clock } = await openForTest();
    await foreignWrite('a', '');
    await foreignWrite('b', '');
    await names(fs, '/');
    clock.advance(10_000);
    asked();

    await Promise.all([fs.getAttributes('/a'), fs.getAttributes('/b')]);
    await names(fs, '/');
    await expect(fs.getAttributes('/c')).rejects.toMatchObject({ code: 'ENOENT' });

    expect(asked()).toEqual(['listObjects']);
  });

  it('asks no more of a service that pages oddly than it has pages', async () => {
    const { fs, foreignWrite, asked } = await openForTest({ store: { behaviours: { pages: 'nasty' } } });
    await foreignWrite('f', 'x');
    await foreignWrite('d/x', '');
    await names(fs, '/');
    const pages = asked();

    await fs.getAttributes('/f');
    await expect(fs.getAttributes('/absent')).rejects.toMatchObject({ code: 'ENOENT' });
    await writeFile(fs, '/new', 'x');
    await readFile(fs, '/f');

    expect(new Set(pages)).toEqual(new Set(['listObjects']));
    expect(asked()).toEqual(['putObject new', 'getObject f']);
  });

  it('walks a tree with one page a folder', async () => {
    const { fs, foreignWrite, asked } = await openForTest();
    await foreignWrite('a/b/c', '');
    await foreignWrite('a/d', '');
    await foreignWrite('e/f', '');

    for (const folder of ['/', '/a', '/a/b', '/e']) await names(fs, folder);

    expect(asked()).toEqual(['listObjects', 'listObjects a', 'listObjects a/b', 'listObjects e']);
  });

  it('looks a file up in an unlisted folder by HEAD and a page side by side, once a component', async () => {
    const { fs, foreignWrite, asked } = await openForTest();
    for (let index = 0; index < 1001; index += 1) await foreignWrite(`long/f${index}`, '');

    await fs.getAttributes('/long/f5');

    expect(asked().sort()).toEqual([
      'headObject long',
      'headObject long/f5',
      'listObjects long',
      'listObjects long/f5',
    ]);
    await names(fs, '/long');
    expect(asked()).toEqual(['listObjects long']);
  });

  it('lists the parent once when both say no', async () => {
    const { fs, foreignWrite, asked } = await openForTest();
    await foreignWrite('here', '');

    await expect(fs.getAttributes('/absent')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(asked()).toEqual(['headObject absent', 'listObjects absent', 'listObjects']);
    await expect(fs.getAttributes('/other')).rejects.toMatchObject({ code: 'ENOENT' });
    await fs.getAttributes('/here');

    expect(asked()).toEqual([]);
  });
});

describe('changing', () => {
  it('writes a new file in a listed folder with one PUT', async () => {
    const { fs, asked } = await openForTest();
    await names(fs, '/');
    asked();

    await writeFile(fs, '/new', 'x');
    await readFile(fs, '/new');

    expect(asked()).toEqual(['putObject new']);
  });

  it('rewrites: one PUT, and the visibility asked for when unknown and set again when public [visibility/preserve]', async () => {
    const { fs, foreignWrite, asked, clock } = await openForTest();
    await foreignWrite('f', 'one');
    await names(fs, '/');
    asked();

    await writeFile(fs, '/f', 'two');
    expect(asked()).toEqual(['getVisibility f', 'putObject f']);
    await writeFile(fs, '/f', 'three');
    expect(asked()).toEqual(['putObject f']);
    await setXattr(fs, '/f', VISIBILITY, 'public');
    asked();
    await writeFile(fs, '/f', 'four');
    expect(asked()).toEqual(['putObject f', 'headObject f', 'setVisibility f']);
    clock.advance(10_000);
    await names(fs, '/');
    asked();
    await writeFile(fs, '/f', 'five');

    expect(asked()).toEqual(['getVisibility f', 'putObject f', 'headObject f', 'setVisibility f']);
  });

  it('edits in place: the base if not cached, the visibility if unknown, a HEAD, a PUT [write/edit]', async () => {
    const { fs, foreignWrite, asked, stored } = await openForTest();
    await foreignWrite('f', 'hello');
    await names(fs, '/');
    asked();

    await edit(fs, '/f', 'J', 0);
    expect(asked()).toEqual(['getObject f', 'getVisibility f', 'headObject f', 'putObject f']);
    await edit(fs, '/f', '!', 5);

    expect(asked()).toEqual(['headObject f', 'putObject f']);
    expect((await stored('f')).toString()).toBe('Jello!');
  });

  it('touches, chmods and saves the same bytes for nothing [attributes/local] [write/same-bytes]', async () => {
    const { fs, foreignWrite, asked } = await openForTest();
    await foreignWrite('f', 'same');
    await names(fs, '/');
    asked();

    await fs.setAttributes('/f', { mode: 0o600, mtime: 1000 });
    await fs.setAttributes('/f', { atime: 2000 });
    await writeFile(fs, '/f', 'same');

    expect(asked()).toEqual([]);
    expect(await fs.getAttributes('/f')).toMatchObject({ mode: 0o600 });
  });

  it('touches and saves the same bytes for one look once the TTL is over [write/same-bytes]', async () => {
    const { fs, foreignWrite, asked, clock } = await openForTest();
    for (let index = 0; index < 1001; index += 1) await foreignWrite(`f${index}`, 'same');
    await names(fs, '/');
    clock.advance(10_000);
    asked();

    await fs.setAttributes('/f1', { mtime: 1000 });
    expect(asked()).toEqual(['headObject f1']);
    clock.advance(10_000);
    await writeFile(fs, '/f1', 'same');

    expect(asked()).toEqual(['headObject f1']);
  });

  it('replaces by a scratch file with one PUT, visibility as for a rewrite [scratch/rename]', async () => {
    const { fs, foreignWrite, asked } = await openForTest();
    await foreignWrite('f', 'old');
    await names(fs, '/');
    asked();
    const save = async (content: string): Promise<void> => {
      const intent = { read: false, write: true, truncate: false, exclusive: true, mode: 0o600 };
      const handle = await fs.create('/.f.Ab3dE9', intent);
      await writeAt(fs, handle, content);
      await fs.flush(handle);
      await fs.release(handle);
      await fs.rename('/.f.Ab3dE9', '/f', false);
    };

    await save('new');
    expect(asked()).toEqual(['getVisibility f', 'putObject f']);
    await save('newer');
    expect(asked()).toEqual(['putObject f']);
    await setXattr(fs, '/f', VISIBILITY, 'public');
    asked();
    await save('newest');

    expect(asked()).toEqual(['putObject f', 'headObject f', 'setVisibility f']);
  });

  it('replaces by an unsent draft with one PUT, by a stored temporary file with PUT, PUT, DELETE [rename/version]', async () => {
    const { fs, asked } = await openForTest();
    await writeFile(fs, '/f', 'old');
    asked();

    const handle = await openToRewrite(fs, '/tmp1');
    await writeAt(fs, handle, 'new');
    await fs.rename('/tmp1', '/f', false);
    await fs.flush(handle);
    await fs.release(handle);
    expect(asked()).toEqual(['putObject f']);
    await writeFile(fs, '/tmp2', 'newer');
    await fs.rename('/tmp2', '/f', false);

    expect(asked()).toEqual(['putObject tmp2', 'putObject f', 'deleteObject tmp2']);
  });

  it('renames a file not cached: GET, visibility, PUT, HEAD new, HEAD old, DELETE [rename/copy]', async () => {
    const { fs, foreignWrite, asked, direct, bucket } = await openForTest();
    await foreignWrite('private', 'x');
    await foreignWrite('public', 'y');
    await direct.setVisibility(bucket, 'public', 'public');
    await names(fs, '/');
    asked();

    await fs.rename('/private', '/a', false);
    expect(asked()).toEqual([
      'getVisibility private',
      'getObject private',
      'putObject a',
      'headObject a',
      'headObject private',
      'deleteObject private',
    ]);
    await fs.rename('/public', '/b', false);

    expect(asked()).toEqual([
      'getVisibility public',
      'getObject public',
      'putObject b',
      'headObject b',
      'setVisibility b',
      'headObject public',
      'deleteObject public',
    ]);
  });

  it('unlinks, makes folders and removes emptied ones with one request each', async () => {
    const { fs, asked, clock } = await openForTest();
    await names(fs, '/');
    asked();

    await fs.mkdir('/d', 0o755);
    await fs.mkdir('/e', 0o755);
    await writeFile(fs, '/d/x', 'x');
    await writeFile(fs, '/e/x', 'x');
    expect(asked()).toEqual(['createFolder d', 'createFolder e', 'putObject d/x', 'putObject e/x']);
    await fs.unlink('/d/x');
    expect(asked()).toEqual(['deleteObject d/x']);
    await fs.rmdir('/d');
    expect(asked()).toEqual(['deleteObject d/', 'listObjects']);
    await fs.unlink('/e/x');
    clock.advance(3000);
    await new Promise((resolve) => setImmediate(resolve));

    expect(asked()).toEqual(['deleteObject e/x', 'createFolder e']);
  });

  it('removes a tree with a DELETE a file and a folder, and a re-listing a folder', async () => {
    const { fs, foreignWrite, asked } = await openForTest();
    for (const key of ['t/a', 't/b', 't/s/c']) await foreignWrite(key, '');
    for (const folder of ['/', '/t', '/t/s']) await names(fs, folder);
    asked();

    for (const path of ['/t/a', '/t/b', '/t/s/c']) await fs.unlink(path);
    await fs.rmdir('/t/s');
    await fs.rmdir('/t');

    expect(asked()).toEqual([
      'deleteObject t/a',
      'deleteObject t/b',
      'deleteObject t/s/c',
      'deleteObject t/s/',
      'listObjects t',
      'deleteObject t/',
      'listObjects',
    ]);
    expect(await names(fs, '/')).toEqual([]);
  });
});
