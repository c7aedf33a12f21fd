/** Folders are removed, moved and emptied in one whose first page was asked for only just before. */
import { describe, expect, it } from 'vitest';
import { HeldPages } from '../support/held-pages.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { names, openForTest, readFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { openToRewrite, writeAt } from '../support/program-acts.ts';

const TTL = 10_000;

/** Pages have three entries: `big` has three of them, and `/big/d/f` was looked at. */
async function justLookedAt(): Promise<FileSystemForTest> {
  const pail = await openForTest({
    between: (service) => {
      const pages = new HeldPages(service, 3);
      pages.letPass();
      return pages;
    },
  });
  for (const key of ['big/d/f', 'other/x', ...[1, 2, 3, 4, 5].map((number) => `big/x${number}`)])
    await pail.foreignWrite(key, 'x');
  await pail.direct.createFolder(pail.bucket, 'e');
  await pail.fs.getAttributes('/big/d/f');
  return pail;
}

describe('in a folder of several pages that was looked at less than a second ago', () => {
  it('rm -r removes a folder, and rmdir goes on to work [folders/truth]', async () => {
    const { fs, clock } = await justLookedAt();
    await names(fs, '/big/d');
    await fs.unlink('/big/d/f');

    await fs.rmdir('/big/d');

    clock.advance(TTL);
    await fs.rmdir('/e');
    expect(await names(fs, '/big')).not.toContain('d');
  });

  it('ls shows no file that was removed, though the page had shown it [fresh/own-changes]', async () => {
    const { fs } = await justLookedAt();

    await fs.unlink('/big/x1');

    expect(await names(fs, '/big')).toEqual(['d', 'x2', 'x3', 'x4', 'x5']);
  });

  it('ls shows a file that has another name since, though the page had shown the old one [fresh/own-changes]', async () => {
    const { fs } = await justLookedAt();

    await fs.rename('/big/x5', '/big/c', false);

    expect(await names(fs, '/big')).toEqual(['c', 'd', 'x1', 'x2', 'x3', 'x4']);
  });

  it('mv moves a folder out of it, and folders go on to be renamed [rename/folders]', async () => {
    const { fs, clock } = await justLookedAt();

    await fs.rename('/big/d', '/other/d', false);

    clock.advance(TTL);
    await fs.rename('/other', '/another', false);
    expect((await readFile(fs, '/another/d/f')).toString()).toBe('x');
  });

  it('a folder stays when its last file goes [folders/stay]', async () => {
    const { fs, clock, direct, bucket } = await justLookedAt();
    await fs.unlink('/big/d/f');
    expect(await names(fs, '/big')).toContain('d');

    clock.advance(3500);

    const isMade = async (): Promise<boolean> =>
      (await direct.listObjects(bucket, { folder: 'big' })).folders.includes('big/d/');
    await expect.poll(isMade).toBe(true);
    clock.advance(TTL);
    expect(await names(fs, '/big')).toContain('d');
  });

  it('a folder whose last file went stays when another is stored in it after that page came [fresh/own-changes]', async () => {
    const { fs, clock } = await justLookedAt();
    await fs.unlink('/big/d/f');
    const handle = await openToRewrite(fs, '/big/d/g');
    await writeAt(fs, handle, 'new');
    clock.advance(TTL);
    await fs.getAttributes('/big');

    await fs.flush(handle);

    expect(await names(fs, '/big')).toContain('d');
    expect(await fs.getAttributes('/big/d')).toMatchObject({ kind: 'folder' });
    await fs.release(handle);
  });
});

describe('names that are looked at one by one in a folder of several pages', () => {
  interface Looked {
    readonly pages: HeldPages;
    readonly clock: ManualClock;
    /** Looks at all names, and tells what that has cost. */
    readonly look: () => Promise<Readonly<Record<string, number>>>;
  }

  /** Ten files in pages of five; they were listed, and are trusted no more. */
  async function listedBefore(metadataTtl = TTL): Promise<Looked> {
    let held: HeldPages | undefined;
    const pail = await openForTest({
      settings: { metadataTtl },
      between: (service) => (held = new HeldPages(service, 5)),
    });
    if (held === undefined) throw new Error('nothing was opened');
    const pages = held;
    pages.letNewPass();
    const files = Array.from({ length: 10 }, (_, index) => `f${index}`);
    for (const key of files) await pail.foreignWrite(key, 'x');
    await names(pail.fs, '/');
    pail.clock.advance(TTL);
    pail.asked();
    const look = async (): Promise<Readonly<Record<string, number>>> => {
      for (const name of files) await pail.fs.getAttributes(`/${name}`);
      const asked = pail.asked().map((line) => line.split(' ')[0] ?? line);
      return {
        heads: asked.filter((method) => method === 'headObject').length,
        pages: asked.filter((method) => method === 'listObjects').length,
      };
    };
    return { pages, clock: pail.clock, look };
  }

  it('are found while its listing does not come, and it is asked for once [list/renewed]', async () => {
    const { pages, look } = await listedBefore();
    pages.hold();

    expect(await look()).toEqual({ heads: 10, pages: 1 });

    await expect.poll(() => pages.waiting).toBe(1);
    pages.letPass();
  });

  it('are found where its listing is refused, which is asked for again after as many more [list/renewed]', async () => {
    const { pages, look, clock } = await listedBefore();
    pages.hold();
    await look();
    pages.refuseNext('denied');
    pages.letPass(1);
    const lookLater = (): Promise<Readonly<Record<string, number>>> => {
      clock.advance(TTL);
      return look();
    };

    await expect.poll(lookLater).toEqual({ heads: 10, pages: 1 });

    await expect.poll(() => pages.waiting).toBe(1);
    pages.letPass();
  });

  it('are asked for each time where no listing is trusted', async () => {
    const { look } = await listedBefore(0);

    expect(await look()).toEqual({ heads: 10, pages: 0 });
    expect(await look()).toEqual({ heads: 10, pages: 0 });
  });
});

it('files that are removed one after another for several TTLs are looked at by few requests, as there are many in the folder [list/renewed]', async () => {
  const { fs, clock, foreignWrite, asked } = await openForTest();
  const files = Array.from({ length: 2500 }, (_, index) => `f${index}`);
  for (const key of files) await foreignWrite(key, '');
  await names(fs, '/');
  asked();

  for (const name of files) {
    await fs.getAttributes(`/${name}`);
    await fs.unlink(`/${name}`);
    clock.advance(20);
  }

  const looks = asked().filter((line) => !line.startsWith('deleteObject'));
  expect(looks.length).toBeLessThan(100);
});

it('rmdir works again after a listing that was late made it fail [folders/truth]', async () => {
  const serviceClock = new ManualClock();
  const { fs, clock, store, direct, bucket } = await openForTest({ store: { clock: serviceClock } });
  for (const folder of ['d', 'e', 'f']) await direct.createFolder(bucket, folder);
  for (const path of ['/', '/d']) await names(fs, path);
  await store.lies.freezeListings();
  serviceClock.advance(500);
  await expect(fs.rmdir('/d')).rejects.toMatchObject({ code: 'EPERM' });
  await store.lies.thawListings();
  clock.advance(TTL);

  await fs.rmdir('/e');

  await fs.rename('/f', '/g', false);
  expect(await names(fs, '/')).toEqual(['g']);
});
