/** The disk is in the way of whoever looks for drafts: which are there, which are not, and what may be said of them? */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DraftFolder } from '../../src/content/draft-folder.ts';
import { writeFully } from '../../src/content/local-files.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { draftFactsOf } from '../support/journal-records.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Scene {
  readonly path: string;
  readonly files: FailingDisk;
  readonly folder: DraftFolder;
}

async function setup(): Promise<Scene> {
  const path = join(await temporaryDirectory(), 'drafts');
  await mkdir(path);
  const files = new FailingDisk();
  return { path, files, folder: new DraftFolder(path, files) };
}

it('a draft that was found again is still the one it was when the disk fails in the middle of its next header', async () => {
  const { files, folder } = await setup();
  const before = await folder.create(draftFactsOf('a'));
  await before.describe(draftFactsOf('b'));
  await before.close();
  const found = await folder.open(before.id);
  onTestFinished(() => found.close());
  files.room = 25;

  await expect(found.describe(draftFactsOf('c'))).rejects.toMatchObject({ code: 'ENOSPC' });

  expect((await folder.list()).map(({ header }) => header)).toEqual([draftFactsOf('b')]);
});

it('a draft is not gone because the disk does not say whether it is there', async () => {
  const { path, folder } = await setup();
  await symlink('round', join(path, 'round'));

  await expect(folder.find('round')).rejects.toMatchObject({ code: 'ELOOP' });
});

it('a draft that goes while it is looked at is not listed as one that nobody can read', async () => {
  const { files, folder } = await setup();
  const draft = await folder.create(draftFactsOf('a'));
  await writeFully(draft, Buffer.from('bytes'), 0);
  await draft.close();
  files.failures.set('open', 'ENOENT');

  expect(await folder.list()).toEqual([]);
});

it('a file that ends before its content begins has no bytes', async () => {
  const { path, folder } = await setup();
  await writeFile(join(path, 'short'), 'raw');

  expect(await folder.list()).toMatchObject([{ id: 'short', size: 0, fileSize: 3 }]);
});
