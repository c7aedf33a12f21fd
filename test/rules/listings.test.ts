/** Does a program see all of a folder, and nothing else, however it is paged? (§4.11) */
import { describe, expect, it } from 'vitest';
import { uploadOf } from '../support/embedded-service.ts';
import { entriesOf } from '../support/directory-entries.ts';
import { names } from '../support/open-for-test.ts';
import { xattr } from '../support/program-acts.ts';
import {
  loseBookmark,
  loseFileBookmarks,
  markBookmarks,
  openScene,
  openShell,
  watchPages,
  SERVICES,
  SHELL_SERVICES,
  type Scene,
} from './scene.ts';

/** More than one page holds. */
const MANY = 550;
/** In the one folder that is not the top. */
const FOLDER = 'many';

const numbered = (letter: string): string[] =>
  Array.from({ length: MANY }, (_, at) => `${letter}-${String(at).padStart(4, '0')}`);

/** Folders come before the files. Resolves with all names. */
async function filled({ direct, bucket }: Scene): Promise<string[]> {
  const [folders, files] = [numbered('d'), numbered('f')];
  for (const name of folders) await direct.createFolder(bucket, `${FOLDER}/${name}`);
  for (const name of files) await direct.putObject(bucket, `${FOLDER}/${name}`, uploadOf('x'));
  return [...folders, ...files];
}

describe.each(SERVICES)('a folder of %s', (_service, behaviours) => {
  it('shows each name of all its pages once', async () => {
    const scene = await openScene(behaviours);
    const all = await filled(scene);

    expect(await names(scene.fs, `/${FOLDER}`)).toEqual(all);
  });

  it('comes in pages of at most 1000 names, files and folders together', async () => {
    const scene = await openScene(behaviours);
    const all = await filled(scene);
    const sizes: number[] = [];
    watchPages(({ folders, objects }) => {
      sizes.push(folders.length + objects.length);
      return Promise.resolve();
    });

    await names(scene.fs, `/${FOLDER}`);

    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(all.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1000);
  });

  it('shows the others when names go between its pages', async () => {
    const { fs, direct, bucket } = await openScene(behaviours);
    const all = [...numbered('f'), ...numbered('g')];
    for (const name of all) await direct.putObject(bucket, name, uploadOf('x'));
    const gone: string[] = [];
    watchPages(async ({ objects }) => {
      if (gone.length > 0) return;
      gone.push(...objects.slice(0, 20).map(({ key }) => key));
      for (const key of gone) await direct.deleteObject(bucket, key);
    });

    const shown = await names(fs, '/');

    expect(gone).toHaveLength(20);
    expect(shown.filter((name) => !gone.includes(name))).toEqual(all.filter((name) => !gone.includes(name)));
  });

  it('shows the others when names come between its pages', async () => {
    const { fs, direct, bucket } = await openScene(behaviours);
    const all = [...numbered('f'), ...numbered('g')];
    for (const name of all) await direct.putObject(bucket, name, uploadOf('x'));
    const come = numbered('z').slice(0, 20);
    let isFirst = true;
    watchPages(async () => {
      if (!isFirst) return;
      isFirst = false;
      for (const name of come) await direct.putObject(bucket, name, uploadOf('x'));
    });

    const shown = await names(fs, '/');

    expect(shown.filter((name) => !come.includes(name))).toEqual(all);
  });

  it('is read from its beginning, and whole, when a bookmark is not valid any more', async () => {
    const scene = await openScene(behaviours);
    const all = await filled(scene);
    loseBookmark();

    expect(await names(scene.fs, `/${FOLDER}`)).toEqual(all);
  });

  it('is whole whatever characters its bookmarks have', async () => {
    const scene = await openScene(behaviours);
    const all = await filled(scene);
    markBookmarks('+/=&%?# ');

    expect(await names(scene.fs, `/${FOLDER}`)).toEqual(all);
  });

  it('shows what is in it, and the top what is there', async () => {
    const { fs, foreignWrite } = await openScene(behaviours);
    for (const key of ['a', 'b/c', 'b/d/e']) await foreignWrite(key, 'x');

    expect(await names(fs, '/')).toEqual(['a', 'b']);
    expect(await names(fs, '/b')).toEqual(['c', 'd']);
  });

  it('shows what is in it, however deep it is', async () => {
    const { fs, foreignWrite } = await openScene(behaviours);
    await foreignWrite('a/b/c/f', 'x');
    await foreignWrite('a/g', 'x');

    expect(await names(fs, '/a/b/c')).toEqual(['f']);
  });

  it('tells size and time of its files', async () => {
    const { fs, foreignWrite, direct, bucket } = await openScene(behaviours);
    await foreignWrite('f', 'twelve bytes');
    const { lastModified } = await direct.headObject(bucket, 'f');

    const [entry] = await entriesOf(fs, '/');

    expect(entry?.attributes).toMatchObject({ size: 12, mtime: lastModified.getTime() });
  });
});

describe.each(SERVICES)('a file in a listing of %s', (_service, behaviours) => {
  it('has the ETag that the service tells of it', async () => {
    const { fs, foreignWrite, direct, bucket, requests } = await openScene(behaviours);
    await foreignWrite('f', 'twelve bytes');
    const { etag } = await direct.headObject(bucket, 'f');
    await names(fs, '/');

    expect(await xattr(fs, '/f', 'user.pailfs.etag')).toBe(etag);
    expect(requests.count('headObject')).toBe(0);
  });
});

describe.each(SERVICES.slice(1))('a folder in pages as odd as they may be, of %s', (_service, behaviours) => {
  it('is whole though pages are short, empty, of one kind, and lists null', async () => {
    const scene = await openScene(behaviours);
    const all = await filled(scene);

    expect(await names(scene.fs, `/${FOLDER}`)).toEqual(all);
  });
});

describe.each(SHELL_SERVICES)('pailfs ls on %s', (_service, behaviours) => {
  it('shows one level, and nothing below', async () => {
    const { server, at } = await openShell(behaviours);
    for (const key of ['a', 'b/c', 'b/d/e']) await server.direct.putObject(server.bucket, key, uploadOf('x'));

    expect(await at.run(['ls', 'photos'])).toEqual({ code: 0, stdout: 'b/\na\n', stderr: '' });
  });
});

describe.each(SERVICES.slice(1, 2))('pailfs ls on %s', (_service, behaviours) => {
  it('says in the words of the service that a bookmark is not valid', async () => {
    const { server, at } = await openShell(behaviours);
    // The service begins the listing of a folder with a name of this length with an empty page.
    await server.direct.putObject(server.bucket, 'abcde/f', uploadOf('x'));
    loseFileBookmarks();

    const { code, stderr } = await at.run(['ls', 'photos:abcde']);

    expect(code).toBe(1);
    expect(stderr).toMatch(/answered 400: The page is not valid.*next_page of the previous response/);
  });
});
