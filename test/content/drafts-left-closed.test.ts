/** A mount may find ten thousands of drafts, and a process has a thousand descriptors: whoever only looks at one leaves it closed. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DraftFolder } from '../../src/content/draft-folder.ts';
import { CONTENT_START } from '../../src/content/draft-header.ts';
import { nodeLocalFiles, writeFully, type LocalFiles } from '../../src/content/local-files.ts';
import { draftFactsOf } from '../support/journal-records.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A draft that holds `abc`, and how many files are open that were opened since. */
async function withDraft() {
  let open = 0;
  const files: LocalFiles = {
    create: (directory) => nodeLocalFiles.create(directory),
    syncDirectory: (directory) => nodeLocalFiles.syncDirectory(directory),
    space: (directory) => nodeLocalFiles.space(directory),
    open: async (path) => {
      const file = await nodeLocalFiles.open(path);
      open += 1;
      const close = async (): Promise<void> => {
        open -= 1;
        await file.close();
      };
      return new Proxy(file, {
        get: (target, name) => {
          if (name === 'close') return close;
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === 'function' ? (value.bind(target) as unknown) : value;
        },
      });
    },
  };
  const path = join(await temporaryDirectory(), 'drafts');
  await mkdir(path);
  const folder = new DraftFolder(path, files);
  const draft = await folder.create(draftFactsOf('a'));
  await writeFully(draft, new TextEncoder().encode('abc'), 0);
  await draft.close();
  return { folder, files, id: draft.id, open: () => open };
}

it('for its MD5', async () => {
  const { folder, id, open } = await withDraft();

  expect(await folder.md5(id, 3)).toBe('900150983cd24fb0d6963f7d28e17f72');
  await expect(folder.md5(id, 4)).rejects.toThrow('shorter');

  expect(open()).toBe(0);
});

it('for what it says of itself, readable or not', async () => {
  const { folder, files, id, open } = await withDraft();
  expect(await folder.list()).toMatchObject([{ id, size: 3, header: { key: 'a' } }]);
  const damaged = await files.open(folder.pathOf(id));
  await writeFully(damaged, new Uint8Array(CONTENT_START), 0);
  await damaged.close();

  expect(await folder.list()).toMatchObject([{ id, header: { unreadable: expect.any(String) as string } }]);
  await expect(folder.open(id)).rejects.toThrow();

  expect(open()).toBe(0);
});
