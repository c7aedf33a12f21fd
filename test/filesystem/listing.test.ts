/** SEMANTICS, "Listings": what a program is shown of a folder whose pages arrive one after another. */
import { describe, expect, it } from 'vitest';
import type { DirectoryEntry, FileSystemOperations } from '../../src/filesystem/operations.ts';
import { entriesOf } from '../support/directory-entries.ts';
import { openWithHeldPages, type FileSystemOfPages } from '../support/held-pages.ts';
import { names, writeFile } from '../support/open-for-test.ts';

/** Three pages of two files: `f1` to `f6`. */
async function threePages(): Promise<FileSystemOfPages> {
  const opened = await openWithHeldPages();
  for (let index = 1; index <= 6; index += 1) await opened.foreignWrite(`f${index}`, 'x');
  return opened;
}

class Reader {
  readonly seen: string[] = [];
  readonly #batches: AsyncIterator<readonly DirectoryEntry[]>;

  constructor(fs: FileSystemOperations, path = '/') {
    this.#batches = fs.readDirectory(path)[Symbol.asyncIterator]();
  }

  /** The names of the next batch; undefined at the end. */
  async next(): Promise<string[] | undefined> {
    const result = await this.#batches.next();
    if (result.done === true) return undefined;
    const found = result.value.map(({ name }) => name);
    this.seen.push(...found);
    return found;
  }

  async rest(): Promise<string[]> {
    while ((await this.next()) !== undefined);
    return this.seen.toSorted();
  }

  async stop(): Promise<void> {
    await this.#batches.return?.();
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const ALL = ['f1', 'f2', 'f3', 'f4', 'f5', 'f6'];

describe('the names of a folder', () => {
  it('are there as the pages arrive, and looking them up asks nothing [list/as-pages-arrive]', async () => {
    const { fs, pages, asked } = await threePages();
    const reader = new Reader(fs);

    expect(await reader.next()).toEqual(['f1']);
    await fs.getAttributes('/f1');
    pages.letPass(1);
    expect(await reader.next()).toEqual(['f2', 'f3']);
    await fs.getAttributes('/f2');
    pages.letPass();
    expect(await reader.rest()).toEqual(ALL);
    await fs.getAttributes('/f6');
    expect(await names(fs, '/')).toEqual(ALL);

    expect(asked()).toEqual(['listObjects', 'listObjects', 'listObjects']);
  });

  it('are asked for once, however many read them, each from the beginning [list/shared]', async () => {
    const { fs, pages, asked } = await threePages();
    const first = new Reader(fs);
    await first.next();
    pages.letPass(1);
    await first.next();

    const second = new Reader(fs);
    expect(await second.next()).toEqual(['f1']);
    pages.letPass();

    expect(await second.rest()).toEqual(ALL);
    expect(await first.rest()).toEqual(ALL);
    expect(asked()).toHaveLength(3);
  });

  it('are as they are here when a reader comes to them [list/meanwhile]', async () => {
    const { fs, pages } = await threePages();
    const first = new Reader(fs);
    await first.next();
    const second = new Reader(fs);
    await fs.unlink('/f1');
    await fs.unlink('/f5');
    await writeFile(fs, '/f3', 'new bytes');
    pages.letPass();

    expect(await second.rest()).toEqual(['f2', 'f3', 'f4', 'f6']);
    expect(await first.rest()).toEqual(['f1', 'f2', 'f3', 'f4', 'f6']);
  });

  it('are shown once each when a bookmark goes stale and the service is asked from the beginning', async () => {
    const { fs, pages, foreignWrite, asked } = await threePages();
    const reader = new Reader(fs);
    await reader.next();
    await foreignWrite('a', 'x');
    asked();
    pages.refuseNext('stale-bookmark');
    pages.letPass();
    await reader.rest();

    expect(reader.seen.toSorted()).toEqual(['a', ...ALL]);
    expect(asked()).toHaveLength(4);
  });

  it('are without what others had deleted by then, for who comes after a bookmark went stale [list/shared]', async () => {
    const { fs, pages, direct, bucket, asked } = await threePages();
    const first = new Reader(fs);
    await first.next();
    await direct.deleteObject(bucket, 'f1');
    asked();
    pages.refuseNext('stale-bookmark');
    pages.letPass(1);
    await expect.poll(() => pages.waiting).toBe(1);
    const second = new Reader(fs);
    const begins = await second.next();
    pages.letPass();
    await first.rest();

    expect(begins).not.toContain('f1');
    expect(await second.rest()).toEqual(ALL.slice(1));
    expect(await names(fs, '/')).toEqual(ALL.slice(1));
    expect(asked()).toHaveLength(3);
  });

  it('are all there when the service says of a later page that there is no such folder [list/no-short-listing]', async () => {
    const { fs, pages } = await threePages();
    const reader = new Reader(fs);
    await reader.next();
    pages.refuseNext('missing');
    pages.letPass();
    await reader.rest();

    expect(reader.seen.toSorted()).toEqual(ALL);
    expect(await names(fs, '/')).toEqual(ALL);
  });

  it('end with an error where it says so each time [list/no-short-listing]', async () => {
    const { fs, pages } = await threePages();
    for (let page = 0; page < 20; page += 1) pages.refuseNext('missing');
    pages.letPass();

    await expect(names(fs, '/')).rejects.toMatchObject({ name: 'FsError', code: 'EIO', path: '/' });
  });

  it('end with an error where a page fails, and a listing that comes later has them all [list/no-short-listing]', async () => {
    const { fs, pages } = await threePages();
    const reader = new Reader(fs);
    expect(await reader.next()).toEqual(['f1']);
    const next = reader.next();
    pages.refuseNext('unavailable');
    pages.letPass();

    await expect(next).rejects.toMatchObject({ name: 'FsError', code: 'EIO', path: '/' });
    expect(await names(fs, '/')).toEqual(ALL);
  });

  it('are asked for no more when nobody reads on, and whoever comes then has them all [list/shared]', async () => {
    const { fs, pages, asked } = await threePages();
    const [first, second] = [new Reader(fs), new Reader(fs)];
    await first.next();
    await second.next();
    await first.stop();
    pages.letPass(1);
    await second.next();
    await second.stop();
    pages.letPass(1);
    await settled();
    pages.letPass();
    await settled();
    expect(asked()).toHaveLength(3);

    expect(await names(fs, '/')).toEqual(ALL);
  });

  it('of drafts are there once, whatever becomes of them meanwhile', async () => {
    const { fs, pages, mounted } = await threePages();
    const reader = new Reader(fs);
    const intent = { read: false, write: true, truncate: true, exclusive: false, mode: 0o644 };
    pages.letPass();
    const handles = await Promise.all(['/f3', '/new', '/stored'].map((path) => fs.create(path, intent)));
    for (const handle of handles) await fs.write(handle, Buffer.from('draft'), 0);
    mounted.refresh('/');
    pages.hold();
    await reader.next();
    for (const handle of handles.slice(2)) await fs.flush(handle);
    pages.letPass();

    expect(await reader.rest()).toEqual([...ALL, 'new', 'stored']);
    const sizes = (await entriesOf(fs, '/')).filter(({ attributes }) => attributes.size === 5);
    expect(sizes.map(({ name }) => name).toSorted()).toEqual(['f3', 'new', 'stored']);
    for (const handle of handles) {
      await fs.flush(handle);
      await fs.release(handle);
    }
  });

  it('are those of folders, also when a file of the name came on a page before [names/folder-wins]', async () => {
    const { fs, pages, foreignWrite } = await threePages();
    await foreignWrite('both', 'file');
    await foreignWrite('both-1', 'between');
    await foreignWrite('both-2', 'between');
    await foreignWrite('both/x', 'inside');
    const reader = new Reader(fs);
    const first = reader.next();
    pages.letPass(1);
    expect((await first)?.toSorted()).toEqual(['both', 'both-1', 'both-2']);
    pages.letPass();
    await reader.rest();

    expect(reader.seen.filter((name) => name === 'both')).toHaveLength(1);
    expect((await entriesOf(fs, '/')).find(({ name }) => name === 'both')?.attributes.kind).toBe('folder');
    expect((await fs.getAttributes('/both')).kind).toBe('folder');
    expect((await fs.getXattr('/', 'user.pailfs.hidden')).toString()).toBe('1');
  });

  it('of folders that were emptied here are there too', async () => {
    const { fs, pages, foreignWrite } = await threePages();
    await foreignWrite('kept/x', '');
    pages.letPass();
    await fs.unlink('/kept/x');

    expect(await names(fs, '/')).toEqual([...ALL, 'kept']);
  });

  it('are refused at the first step where there is no folder', async () => {
    const { fs, pages } = await threePages();
    pages.letPass();

    await expect(new Reader(fs, '/none').next()).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(new Reader(fs, '/f1').next()).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});
