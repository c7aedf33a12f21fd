/** SEMANTICS `[names/folder-wins]`: a file whose name a folder has is counted, stays, and is shown when the folder is gone. */
import { describe, expect, it } from 'vitest';
import { entriesOf } from '../support/directory-entries.ts';
import { holdNext } from '../support/hold-next.ts';
import { names, openForTest, readFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall } from '../support/program-acts.ts';

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
    const { fs, service } = await withFoldersOverFiles('x');
    await fs.unlink('/d/x/y');
    const page = holdNext(service, 'listObjects');
    const before = names(fs, '/d');
    await page.begun;
    await fs.rmdir('/d/x');
    page.letGo();
    await before;

    expect(await errnoOfCall(fs.rmdir('/d'))).toBe('ENOTEMPTY');

    expect(await names(fs, '/d')).toEqual(['x']);
    expect((await readFile(fs, '/d/x')).toString()).toBe('file x');
  });

  it('is found again by who has found it, when a listing ends that was under way before [names/folder-wins]', async () => {
    const { fs, service } = await withFoldersOverFiles('x');
    await fs.unlink('/d/x/y');
    const page = holdNext(service, 'listObjects');
    const before = names(fs, '/d');
    await page.begun;
    await fs.rmdir('/d/x');
    expect((await readFile(fs, '/d/x')).toString()).toBe('file x');

    page.letGo();
    await before;

    expect((await readFile(fs, '/d/x')).toString()).toBe('file x');
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
