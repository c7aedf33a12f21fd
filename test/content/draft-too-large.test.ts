/** What does a draft say to a size, or to a place, that no file can have? */
import { expect, it, onTestFinished } from 'vitest';
import { DraftFolder } from '../../src/content/draft-folder.ts';
import { Draft } from '../../src/content/draft.ts';
import type { SpaceAccount } from '../../src/content/space-account.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { draftFactsOf } from '../support/journal-records.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

interface Scene {
  readonly files: FailingDisk;
  readonly draft: Draft;
  readonly account: SpaceAccount;
}

async function setup(): Promise<Scene> {
  const files = new FailingDisk();
  const folder = new DraftFolder(await temporaryDirectory(), files);
  const account = files.budget().open();
  const draft = new Draft(await folder.create(draftFactsOf('f')), account);
  onTestFinished(() => draft.remove());
  return { files, draft, account };
}

async function uploadOf(draft: Draft): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of draft.body(undefined).open()) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

it('is not poisoned by a size that the disk refuses', async () => {
  const { files, draft } = await setup();
  files.failures.set('truncate', 'EFBIG');

  await expect(draft.truncate(5)).rejects.toMatchObject({ code: 'EFBIG' });

  expect(draft.poisoned).toBeNull();
});

it('refuses bytes at a place that the disk has no file for, and goes on', async () => {
  const { files, draft } = await setup();
  await draft.write(text('abc'), 0);
  files.failures.set('write', 'EFBIG');

  await expect(draft.write(text('d'), 2 ** 44)).rejects.toMatchObject({ code: 'EFBIG' });
  files.failures.delete('write');
  await draft.write(text('d'), 3);

  expect(draft.poisoned).toBeNull();
  expect(await uploadOf(draft)).toBe('abcd');
});

it.each([2 ** 53, 2 ** 62])('never writes beyond where numbers are exact: at %d', async (position) => {
  const { draft } = await setup();
  await draft.write(text('abc'), 0);

  await expect(draft.write(text('d'), position)).rejects.toMatchObject({ code: 'EFBIG' });
  await expect(draft.truncate(position)).rejects.toMatchObject({ code: 'EFBIG' });

  expect(draft).toMatchObject({ poisoned: null, size: 3 });
  expect(await uploadOf(draft)).toBe('abc');
});

it('gives back the room of bytes that the disk has no place for, and none of them is found later', async () => {
  const { files, draft, account } = await setup();
  await draft.write(text('abc'), 0);
  files.most = 2;
  files.room = 2;
  files.failureWhenFull = 'EFBIG';

  for (let times = 0; times < 3; times += 1) {
    files.room = 2;
    await expect(draft.write(text('defg'), 3)).rejects.toMatchObject({ code: 'EFBIG' });
  }
  files.room = Infinity;
  await draft.truncate(5);

  expect(account.held).toBe(3);
  expect(await uploadOf(draft)).toBe('abc\0\0');
});
