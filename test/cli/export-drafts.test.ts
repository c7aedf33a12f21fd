/** Where do exported bytes go? SEMANTICS: below one directory, and over nothing. On real mounts: test/mount/cli-uploads.test.ts. */
import { appendFileSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { exportDraft } from '../../src/cli/uploads/export-drafts.ts';
import { CONTENT_START } from '../../src/content/draft-header.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { unsentChangeOf } from '../support/unsent-change.ts';

let home: string;
let top: string;
let file: string;

beforeEach(async () => {
  home = await temporaryDirectory();
  top = join(home, 'out');
  await mkdir(top);
  file = join(home, 'draft');
  await writeFile(file, Buffer.concat([Buffer.alloc(CONTENT_START, 'h'), Buffer.from('content')]));
});

const exported = (path: string | null): Promise<string> => exportDraft(unsentChangeOf({ path, file }), top);

describe('an export [uploads/export]', () => {
  it('is the content without its header, under the path that it has in the mount', async () => {
    expect(await exported('/a/b/c.txt')).toBe(join(top, 'a/b/c.txt'));

    expect(await readFile(join(top, 'a/b/c.txt'), 'utf8')).toBe('content');
  });

  it('gets a number where a file is, also where a file has the name of its folder', async () => {
    await writeFile(join(top, 'a'), 'mine');
    await writeFile(join(top, 'c.txt'), 'mine');

    expect(await exported('/c.txt')).toBe(join(top, 'c (2).txt'));
    expect(await exported('/c.txt')).toBe(join(top, 'c (3).txt'));
    expect(await exported('/a/b')).toBe(join(top, 'a (2)/b'));
    expect(await readFile(join(top, 'c.txt'), 'utf8')).toBe('mine');
    expect(await readFile(join(top, 'a'), 'utf8')).toBe('mine');
  });

  it('gets a number also where its name is as long as one may be, and is cut for it', async () => {
    const longest = `${'x'.repeat(251)}.txt`;

    expect(await exported(`/${longest}`)).toBe(join(top, longest));
    expect(await exported(`/${longest}`)).toBe(join(top, `${'x'.repeat(247)} (2).txt`));
    expect(await exported(`/${longest}`)).toBe(join(top, `${'x'.repeat(247)} (3).txt`));
  });

  it('gets a number also where a symbolic link that leads nowhere has the name of its folder', async () => {
    await symlink(join(home, 'nowhere'), join(top, 'a'));

    expect(await exported('/a/b')).toBe(join(top, 'a (2)/b'));
  });

  it.each(['/../x', '/a/../../x', '/./x', '//x', '/a\0b'])(
    'of a key that is no path is refused: %j',
    async (path) => {
      await expect(exported(path)).rejects.toThrow('its key is no path');

      expect(await readdir(top)).toEqual([]);
      expect((await readdir(home)).sort()).toEqual(['draft', 'out']);
    },
  );

  it('does not follow a symbolic link out of the directory', async () => {
    await mkdir(join(home, 'elsewhere'));
    await symlink(join(home, 'elsewhere'), join(top, 'a'));

    expect(await exported('/a/b')).toBe(join(top, 'a (2)/b'));

    expect(await readdir(join(home, 'elsewhere'))).toEqual([]);
  });

  it('of bytes whose name is lost has their identifier', async () => {
    expect(await exported(null)).toBe(join(top, 'without a name 0123456789'));
  });

  it('leaves nothing behind when the bytes were stored meanwhile', async () => {
    const change = unsentChangeOf({ path: '/f', file: join(home, 'gone') });

    await expect(exportDraft(change, top)).rejects.toThrow('it was stored meanwhile');

    expect(await readdir(top)).toEqual([]);
  });

  it('is that of one moment, whole, where a program writes meanwhile', async () => {
    await exportDraft(unsentChangeOf({ path: '/f', file }), top, whileCopied(1));

    expect(await readFile(join(top, 'f'), 'utf8')).toBe('content+');
  });

  it('is none, not even a part, where a program does not stop writing', async () => {
    const exporting = exportDraft(unsentChangeOf({ path: '/f', file }), top, whileCopied(Infinity));

    await expect(exporting).rejects.toThrow('a program is just writing it');
    expect(await readdir(top)).toEqual([]);
  });
});

/** Each of the first `times` that a piece is copied a program appends a byte. */
function whileCopied(times: number): AbortSignal {
  let left = times;
  return Object.defineProperty(new AbortController().signal, 'aborted', {
    get: () => {
      if ((left -= 1) >= 0) appendFileSync(file, '+');
      return false;
    },
  });
}
