/** SEMANTICS `[names/folder-wins]`: a file whose name a folder has is counted, stays, and is shown when the folder is gone. */
import { describe, expect, it } from 'vitest';
import { entriesOf } from '../support/directory-entries.ts';
import { openWithHeldPages } from '../support/held-pages.ts';
import { holdNext } from '../support/hold-next.ts';
import { names, openForTest, readFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall, xattr } from '../support/program-acts.ts';

/** More entries than a page has. */
const MANY = 1001;

describe('a file whose name a folder has, when the folder is gone', () => {
  it('is shown, also when others of its kind are so right after [names/folder-wins]', async () => {
    const { fs } = await withFoldersOverFiles('x', 'z');
    await names(fs, '/d');

    for (const folder of ['/d/x', '/d/z']) await removeFolder(fs, folder);

    expect((await readFile(fs, '/d/x')).toString()).toBe('file x');
    expect((await readFile(fs, '/d/z')).toString()).toBe('file z');
  });

  it('is listed at once [names/folder-wins]', async () => {
    const { fs } = await withFoldersOverFiles('x', 'z');
    await names(fs, '/d');

    for (const folder of ['/d/x', '/d/z']) await removeFolder(fs, folder);

    expect((await entriesOf(fs, '/d')).map(({ attributes }) => attributes.kind)).toEqual(['file', 'file']);
  });

  it('is not replaced by who makes a file of that name with O_EXCL [names/folder-wins]', async () => {
    const { fs, stored } = await withFoldersOverFiles('x', 'z');
    await names(fs, '/d');
    for (const folder of ['/d/x', '/d/z']) await removeFolder(fs, folder);
    const intent = { read: false, write: true, truncate: false, exclusive: true, mode: 0o644 };

    expect(await errnoOfCall(fs.create('/d/z', intent))).toBe('EEXIST');

    expect((await stored('d/z')).toString()).toBe('file z');
  });

  it('is shown where nobody has listed the folder that holds it, which has several pages [names/folder-wins]', async () => {
    const { fs, foreignWrite } = await withFoldersOverFiles('x');
    for (let index = 0; index < MANY; index += 1) await foreignWrite(`d/a${index}`, '');

    await removeFolder(fs, '/d/x');

    expect((await readFile(fs, '/d/x')).toString()).toBe('file x');
  });

  it('is in the next listing when that folder goes while one is under way, and keeps the folder that holds it [names/folder-wins]', async () => {
    const { fs, listingEnds } = await withListingOvertaken();
    await listingEnds();

    expect(await errnoOfCall(fs.rmdir('/d'))).toBe('ENOTEMPTY');

    expect(await names(fs, '/d')).toEqual(['x']);
    expect((await readFile(fs, '/d/x')).toString()).toBe('file x');
  });

  it('is found again by who has found it, when a listing ends that was under way before [names/folder-wins]', async () => {
    const { fs, listingEnds } = await withListingOvertaken();
    expect((await readFile(fs, '/d/x')).toString()).toBe('file x');

    await listingEnds();

    expect((await readFile(fs, '/d/x')).toString()).toBe('file x');
  });
});

describe('while the pages of a listing come', () => {
  it('a file that is removed and made a folder here counts no more [names/folder-wins]', async () => {
    const { fs, pages, foreignWrite } = await openWithHeldPages();
    for (const key of ['d/a', 'd/x', 'd/y']) await foreignWrite(key, '');
    const listing = names(fs, '/d');
    await fs.unlink('/d/x');
    await fs.mkdir('/d/x', 0o755);
    pages.letPass();

    expect(await listing).toEqual(['a', 'x', 'y']);
    expect(await xattr(fs, '/d', 'user.pailfs.hidden')).toBe('0');
    expect(await errnoOfCall(fs.rename('/d', '/e', false))).toBe('none');
  });

  it('a file is not shown whose folder comes on the next, in the order of UTF-8 bytes [names/folder-wins]', async () => {
    const { fs, pages, foreignWrite } = await openWithHeldPages();
    // In UTF-16 the second comes before the first.
    for (const key of ['d/\uff01', 'd/\u{1f600}', 'd/\u{1f600}/y']) await foreignWrite(key, '');
    pages.letPass();

    const shown = await entriesOf(fs, '/d');

    expect(shown.map(({ name, attributes }) => [name, attributes.kind])).toEqual([
      ['\uff01', 'file'],
      ['\u{1f600}', 'folder'],
    ]);
    expect(await xattr(fs, '/d', 'user.pailfs.hidden')).toBe('1');
    expect(await errnoOfCall(fs.rename('/d', '/e', false))).toBe('EPERM');
  });

  it('a file whose folder is emptied here counts all the same [names/folder-wins]', async () => {
    const { fs, pages, foreignWrite } = await openWithHeldPages();
    for (const key of ['d/a', 'd/x', 'd/x/inside', 'd/y']) await foreignWrite(key, '');
    await names(fs, '/d/x');
    const listing = names(fs, '/d');
    pages.letPass();
    await fs.unlink('/d/x/inside');

    expect(await listing).toEqual(['a', 'x', 'y']);
    expect(await xattr(fs, '/d', 'user.pailfs.hidden')).toBe('1');
    expect(await errnoOfCall(fs.rename('/d', '/e', false))).toBe('EPERM');
  });
});

describe.each([
  ['one page', 0],
  ['several pages', 2],
])('a folder that was emptied here, over a file of its name, in a listing of %s', (_pages, others) => {
  it('stays in sight until rmdir, and the file is counted until then [folders/stay] [names/folder-wins]', async () => {
    const { fs, pages, foreignWrite, mounted } = await openWithHeldPages();
    pages.letPass();
    for (const key of ['d/x', 'd/x/y']) await foreignWrite(key, 'bytes');
    for (let index = 0; index < others; index += 1) await foreignWrite(`d/z${index}`, '');
    await names(fs, '/d');
    await fs.unlink('/d/x/y');

    mounted.refresh('/');
    const shown = (await entriesOf(fs, '/d')).filter(({ name }) => name === 'x');

    expect(shown.map(({ attributes }) => attributes.kind)).toEqual(['folder']);
    expect((await fs.getAttributes('/d/x')).kind).toBe('folder');
    expect(await names(fs, '/d/x')).toEqual([]);
    expect(await xattr(fs, '/d', 'user.pailfs.hidden')).toBe('1');
    await fs.rmdir('/d/x');
    expect((await fs.getAttributes('/d/x')).kind).toBe('file');
    expect(await xattr(fs, '/d', 'user.pailfs.hidden')).toBe('0');
  });
});

/** `d` holds files and folders of these names; that this service removes folders is known, so no rmdir looks whether it did. */
async function withFoldersOverFiles(...held: readonly string[]): Promise<FileSystemForTest> {
  const scene = await openForTest();
  await scene.direct.createFolder(scene.bucket, 'proof');
  for (const name of held) {
    await scene.foreignWrite(`d/${name}`, `file ${name}`);
    await scene.foreignWrite(`d/${name}/y`, 'inside');
  }
  await names(scene.fs, '/');
  await scene.fs.rmdir('/proof');
  return scene;
}

/** With all that is in it. */
async function removeFolder(fs: FileSystemForTest['fs'], path: string): Promise<void> {
  for (const name of await names(fs, path)) await fs.unlink(`${path}/${name}`);
  await fs.rmdir(path);
}

/** A listing of /d is under way; the folder /d/x, which a file of its name is left out for, has gone meanwhile. */
async function withListingOvertaken(): Promise<{
  fs: FileSystemForTest['fs'];
  listingEnds: () => Promise<unknown>;
}> {
  const { fs, service } = await withFoldersOverFiles('x');
  await fs.unlink('/d/x/y');
  const page = holdNext(service, 'listObjects');
  const listing = names(fs, '/d');
  await page.begun;
  await fs.rmdir('/d/x');
  const listingEnds = (): Promise<unknown> => {
    page.letGo();
    return listing;
  };
  return { fs, listingEnds };
}
