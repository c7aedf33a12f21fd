/** SEMANTICS: what programs see and may do in a folder while it is renamed. */
import { describe, expect, it } from 'vitest';
import type { FileHandle } from '../../src/filesystem/operations.ts';
import { namesBelow } from '../model/service-contents.ts';
import { hasEnded } from '../support/held-disk.ts';
import { holdNext } from '../support/hold-next.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import {
  closing,
  names,
  openForTest,
  readAll,
  writeFile,
  type FileSystemForTest,
} from '../support/open-for-test.ts';
import {
  errnoOfCall,
  openToEdit,
  openToRead,
  openToRewrite,
  textAt,
  writeAt,
} from '../support/program-acts.ts';

const FILES = ['a', 'b', 's/c'];

describe('two renames that cross [rename/order]', () => {
  it('of two folders to each other’s names: neither is empty, and all stays', async () => {
    const test = await filled();
    await test.foreignWrite('e/theirs', 'content of theirs');

    const codes = await Promise.all([
      errnoOfCall(test.fs.rename('/d', '/e', false)),
      errnoOfCall(test.fs.rename('/e', '/d', false)),
    ]);

    expect(codes).toEqual(['ENOTEMPTY', 'ENOTEMPTY']);
    expect(await filesOf(test)).toEqual(['d/a', 'd/b', 'd/s/c', 'e/theirs']);
  });

  it('of one folder there and back: both are done, one after the other', async () => {
    const test = await filled();

    await Promise.all([test.fs.rename('/d', '/e', false), test.fs.rename('/e', '/d', false)]);

    expect(await filesOf(test)).toEqual(['d/a', 'd/b', 'd/s/c']);
    expect(await names(test.fs, '/')).toEqual(['d']);
  });

  it('of one folder to two names: the second finds nothing', async () => {
    const test = await filled();

    const codes = await Promise.all([
      errnoOfCall(test.fs.rename('/d', '/e', false)),
      errnoOfCall(test.fs.rename('/d', '/f', false)),
    ]);

    expect(codes).toEqual(['none', 'ENOENT']);
    expect(await filesOf(test)).toEqual(['e/a', 'e/b', 'e/s/c']);
  });

  it('of a file into a folder that is renamed: it arrives before, and goes along', async () => {
    const test = await filled();
    await test.foreignWrite('x/y', 'content of y');
    const codes = await Promise.all([
      errnoOfCall(test.fs.rename('/x/y', '/d/y', false)),
      errnoOfCall(test.fs.rename('/d', '/e', false)),
    ]);

    expect(codes).toEqual(['none', 'none']);
    expect(await filesOf(test)).toEqual(['e/a', 'e/b', 'e/s/c', 'e/y']);
    expect((await test.stored('e/y')).toString()).toBe('content of y');
  });

  it('of a file into a folder whose rename has begun: its folder is gone, and it stays', async () => {
    const test = await filled();
    await test.foreignWrite('x/y', 'content of y');
    const codes = await Promise.all([
      errnoOfCall(test.fs.rename('/d', '/e', false)),
      errnoOfCall(test.fs.rename('/x/y', '/d/y', false)),
    ]);

    expect(codes).toEqual(['none', 'ENOENT']);
    expect(await filesOf(test)).toEqual(['e/a', 'e/b', 'e/s/c', 'x/y']);
    expect(await names(test.fs, '/x')).toEqual(['y']);
  });

  it('of a folder out of one that is renamed: whichever begins first', async () => {
    const test = await filled();
    const codes = await Promise.all([
      errnoOfCall(test.fs.rename('/d/s', '/t', false)),
      errnoOfCall(test.fs.rename('/d', '/e', false)),
      errnoOfCall(test.fs.rename('/d/s', '/u', false)),
      errnoOfCall(test.fs.rename('/t', '/e/t', false)),
    ]);

    expect(codes).toEqual(['none', 'none', 'ENOENT', 'none']);
    expect(await filesOf(test)).toEqual(['e/a', 'e/b', 'e/t/c']);
  });
});

describe('while a folder is renamed', () => {
  it('each file is found, whole, under its old or its new name, and by both listings [rename/meanwhile]', async () => {
    let looks = 0;
    // close(2) does not wait for these, which wait for the rename.
    const releases: Promise<void>[] = [];
    const contentOf = async (path: string): Promise<string> => {
      const handle = await openToRead(test.fs, path).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'ENOENT' });
        return null;
      });
      if (handle === null) return 'nothing';
      const content = await readAll(test.fs, handle);
      await test.fs.flush(handle);
      releases.push(test.fs.release(handle));
      return content.toString();
    };
    const test = await filled(async () => {
      looks += 1;
      for (const file of FILES) {
        // In this order: what is gone from its old name has its new one already.
        const old = await contentOf(`/d/${file}`);
        const found = old === 'nothing' ? await contentOf(`/e/${file}`) : old;
        expect(found, `${file} at look ${looks}`).toBe(`content of ${file}`);
      }
      const shown = [...(await namesOrNone(test, '/d')), ...(await namesOrNone(test, '/e'))];
      expect([...new Set(shown)].sort(), `look ${looks}`).toEqual(['a', 'b', 's']);
    });

    await test.fs.rename('/d', '/e', false);
    await Promise.all(releases);

    // Two folders and three files are made, and as many go.
    expect(looks).toBe(10);
    expect(await filesOf(test)).toEqual(['e/a', 'e/b', 'e/s/c']);
  });

  it('who had begun to list it gets to the end without an error, and no name twice [rename/meanwhile]', async () => {
    const test = await filled();
    const listing = test.fs.readDirectory('/d')[Symbol.asyncIterator]();
    const first = await listing.next();

    await test.fs.rename('/d', '/e', false);
    const seen = first.done === true ? [] : first.value.map(({ name }) => name);
    for (let batch = await listing.next(); batch.done !== true; batch = await listing.next())
      seen.push(...batch.value.map(({ name }) => name));

    expect(seen.sort()).toEqual(['a', 'b', 's']);
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])(
    'what is written inside at change %d ends under the new name [rename/meanwhile] [rename/handles]',
    async (change) => {
      const programs: Promise<void>[] = [];
      let changes = 0;
      const test = await filled(() => {
        // Not waited for: writers wait for the request that is held up here.
        if (changes === change) programs.push(writeWith(editor, '1'), appendAnew('b'), appendAnew('s/c'));
        changes += 1;
        return Promise.resolve();
      });
      const editor = await openToEdit(test.fs, '/d/a');
      const fresh = await openToRewrite(test.fs, '/d/s/fresh');
      const reader = await openToRead(test.fs, '/d/b');
      const writeWith = (handle: FileHandle, piece: string): Promise<void> => writeAt(test.fs, handle, piece);
      const appendAnew = async (file: string): Promise<void> => {
        const handle = await openToEdit(test.fs, `/d/${file}`).catch(() => openToEdit(test.fs, `/e/${file}`));
        await closing(test.fs, handle, () => writeAt(test.fs, handle, '1'));
      };

      await test.fs.rename('/d', '/e', false);
      await Promise.all(programs);
      await writeAt(test.fs, fresh, 'fresh');
      expect(await textAt(test.fs, reader)).toBe('1ontent of b');
      for (const handle of [editor, fresh]) await test.fs.flush(handle);
      for (const handle of [editor, fresh, reader]) await test.fs.release(handle);

      const contents = await Promise.all(
        ['a', 'b', 's/c', 's/fresh'].map((file) => test.stored(`e/${file}`)),
      );
      expect(contents.map(String)).toEqual(['1ontent of a', '1ontent of b', '1ontent of s/c', 'fresh']);
      expect(await filesOf(test)).toEqual(['e/a', 'e/b', 'e/s/c', 'e/s/fresh']);
    },
  );

  it.each([0, 2, 4, 6, 8])(
    'a file made at change %d in the old folder is refused, and one in the new is there [rename/meanwhile]',
    async (change) => {
      const programs: Promise<string>[] = [];
      let changes = 0;
      const test = await filled(() => {
        if (changes === change)
          programs.push(
            errnoOfCall(writeFile(test.fs, '/d/late', 'old')),
            errnoOfCall(writeFile(test.fs, '/e/late', 'new')),
          );
        changes += 1;
        return Promise.resolve();
      });
      await test.direct.createFolder(test.bucket, 'e');

      await test.fs.rename('/d', '/e', false);

      expect(await Promise.all(programs)).toEqual(['ENOENT', 'none']);
      expect(await filesOf(test)).toEqual(['e/a', 'e/b', 'e/late', 'e/s/c']);
      expect(String(await test.stored('e/late'))).toBe('new');
    },
  );
});

it('who has a file of a folder open to write, and has written nothing, closes it while the folder is renamed', async () => {
  const test = await openForTest();
  for (const file of ['d/a', 'd/b']) await test.foreignWrite(file, 'content');
  const handle = await openToEdit(test.fs, '/d/b');
  const copying = holdNext(test.service, 'putObject');
  const renaming = test.fs.rename('/d', '/e', false);
  await copying.begun;

  await test.fs.flush(handle);

  expect(await hasEnded(renaming)).toBe(false);
  copying.letGo();
  await renaming;
  await test.fs.release(handle);
});

const CHANGES = new Set(['putObject', 'deleteObject', 'createFolder']);

/** With `/d`; `beforeChange` runs before each request that changes something, from the rename on. */
async function filled(beforeChange?: () => Promise<void>): Promise<FileSystemForTest> {
  const test = await openForTest({
    between: (service) =>
      new InterceptedService(service, async ({ operation, key, folder }, proceed) => {
        const isOfRename = /^[de]\b/.test(key ?? folder ?? '') && !(key ?? '').endsWith('late');
        if (CHANGES.has(operation) && isOfRename) await beforeChange?.();
        return proceed();
      }),
  });
  for (const file of FILES) await test.foreignWrite(`d/${file}`, `content of ${file}`);
  return test;
}

async function namesOrNone(test: FileSystemForTest, path: string): Promise<string[]> {
  return names(test.fs, path).catch((error: unknown) => {
    expect(error).toMatchObject({ code: 'ENOENT' });
    return [];
  });
}

async function filesOf({ direct, bucket }: FileSystemForTest): Promise<string[]> {
  return [...(await namesBelow(direct, bucket, '')).files].sort();
}
