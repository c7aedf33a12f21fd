/** SEMANTICS: others change a file whose page of a long listing is here already. What a program has learned of it by then lasts when the others come. */
import { describe, expect, it } from 'vitest';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { HeldPages } from '../support/held-pages.ts';
import { names, openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall } from '../support/program-acts.ts';
import { textOf } from '../support/stored-state.ts';

const TTL = 10_000;

interface Scene extends FileSystemForTest {
  /** The other pages come. */
  readonly listingEnds: () => Promise<unknown>;
}

/** Of `/` a listing is under way, whose first page, with /f, which holds `old`, is here. */
async function withFirstPage(): Promise<Scene> {
  const held: HeldPages[] = [];
  const scene = await openForTest({
    between: (service) => {
      const pages = new HeldPages(service, 3);
      held.push(pages);
      return pages;
    },
  });
  const [pages] = held;
  if (pages === undefined) throw new Error('no pages were held');
  for (const key of ['f', ...Array.from({ length: 9 }, (_, index) => `x${index}`)])
    await scene.foreignWrite(key, 'old');
  pages.letPass();
  await names(scene.fs, '/');
  scene.clock.advance(TTL);
  pages.hold();
  const listing = names(scene.fs, '/');
  await expect.poll(() => pages.waiting).toBe(1);
  const listingEnds: Scene['listingEnds'] = () => {
    pages.letPass();
    return listing;
  };
  return { ...scene, listingEnds };
}

describe('while the later pages of a listing come', () => {
  it('a file that others replaced is theirs once a program has opened it [fresh/open]', async () => {
    const { fs, clock, foreignWrite, listingEnds } = await withFirstPage();
    clock.advance(TTL);
    await foreignWrite('f', 'theirs');
    expect((await readFile(fs, '/f')).toString()).toBe('theirs');

    await listingEnds();

    expect((await fs.getAttributes('/f')).size).toBe(6);
    expect((await readFile(fs, '/f')).toString()).toBe('theirs');
  });

  it('so is one that was saved here in between [fresh/open]', async () => {
    const { fs, listingEnds } = await withOursReplaced();

    await listingEnds();

    expect((await fs.getAttributes('/f')).size).toBe(6);
    expect((await readFile(fs, '/f')).toString()).toBe('theirs');
  });

  it('and who renames that keeps their bytes [rename/version]', async () => {
    const scene = await withOursReplaced();
    await scene.listingEnds();

    await scene.fs.rename('/f', '/g', false);

    expect([await textOf(scene, 'f'), await textOf(scene, 'g')]).toEqual(['(none)', 'theirs']);
  });

  it.each(['before the listing ends', 'after it'])(
    'a file that others replaced is ESTALE no more than once, to who opens it again %s [fresh/late-listings]',
    async (when) => {
      const { fs, clock, foreignWrite, listingEnds } = await withFirstPage();
      clock.advance(1000);
      await foreignWrite('f', 'theirs');
      expect(await errnoOfCall(readFile(fs, '/f'))).toBe('ESTALE');
      if (when === 'before the listing ends') expect((await readFile(fs, '/f')).toString()).toBe('theirs');

      await listingEnds();

      expect((await readFile(fs, '/f')).toString()).toBe('theirs');
      expect((await fs.getAttributes('/f')).size).toBe(6);
    },
  );

  it.each([
    ['listed', (): Promise<void> => Promise.resolve()],
    ['saved here', (fs: FileSystemOperations) => writeFile(fs, '/f', 'ours')],
  ])(
    'a file that was %s and that others deleted then is missing to who opens it, and asked for once [fresh/ttl]',
    async (_, act) => {
      const { fs, clock, direct, bucket, requests, listingEnds } = await withFirstPage();
      await act(fs);
      clock.advance(TTL);
      await direct.deleteObject(bucket, 'f');
      const opened = errnoOfCall(readFile(fs, '/f'));
      await expect.poll(() => requests.count('headObject')).toBe(1);

      await listingEnds();

      expect(await opened).toBe('ENOENT');
      expect(await errnoOfCall(fs.getAttributes('/f'))).toBe('ENOENT');
      expect(requests.count('headObject')).toBe(1);
    },
  );
});

/** /f was saved here since; others have replaced that, and a program has read theirs. */
async function withOursReplaced(): Promise<Scene> {
  const scene = await withFirstPage();
  await writeFile(scene.fs, '/f', 'ours');
  scene.clock.advance(TTL);
  await scene.foreignWrite('f', 'theirs');
  expect((await readFile(scene.fs, '/f')).toString()).toBe('theirs');
  return scene;
}
