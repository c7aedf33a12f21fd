/** The disk takes a part of what a draft is given, or says so only later: what may still be done with the draft, and what with its room? */
import { createHash } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { DraftFolder } from '../../src/content/draft-folder.ts';
import { Draft } from '../../src/content/draft.ts';
import type { SpaceAccount } from '../../src/content/space-account.ts';
import type { SpaceBudget } from '../../src/content/space-budget.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { draftFactsOf } from '../support/journal-records.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** More than is worth no answer before it is on the disk. */
const LONG = 100_000;

interface Scene {
  readonly files: FailingDisk;
  readonly clock: ManualClock;
  readonly budget: SpaceBudget;
  readonly folder: DraftFolder;
  readonly draft: Draft;
  readonly account: SpaceAccount;
}

async function setup(): Promise<Scene> {
  const [files, clock] = [new FailingDisk(), new ManualClock()];
  const folder = new DraftFolder(await temporaryDirectory(), files);
  const budget = files.budget(clock);
  const account = budget.open();
  const draft = new Draft(await folder.create(draftFactsOf('f')), account);
  onTestFinished(() => draft.remove().catch(() => undefined));
  return { files, clock, budget, folder, draft, account };
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const md5Of = (value: string): string => createHash('md5').update(value).digest('hex');

it('bytes that were taken and did not get there are not read: what is in their place was never written', async () => {
  const { files, draft } = await setup();
  await draft.write(text('abc'), 0);
  files.failures.set('write', 'EIO');

  await expect(draft.write(new Uint8Array(LONG), 0, () => undefined)).rejects.toMatchObject({ code: 'EIO' });

  await expect(draft.read(new Uint8Array(3), 0)).rejects.toMatchObject({ code: 'EIO' });
});

it('and a file that is emptied then and written anew is read as any other', async () => {
  const { files, draft } = await setup();
  files.failures.set('write', 'EIO');
  await expect(draft.write(new Uint8Array(LONG), 0, () => undefined)).rejects.toMatchObject({ code: 'EIO' });
  files.failures.delete('write');

  await draft.truncate(0);
  await draft.write(text('abc'), 0);

  expect(await draft.read(new Uint8Array(10), 0)).toBe(3);
});

it('of a write that leaves a hole nobody hears before the disk has a place for it', async () => {
  const { files, draft } = await setup();
  await draft.write(text('abc'), 0);
  files.failures.set('write', 'EFBIG');
  let isTaken = false;

  const writing = draft.write(new Uint8Array(LONG), 2 ** 44, () => {
    isTaken = true;
  });

  await expect(writing).rejects.toMatchObject({ code: 'EFBIG' });
  expect([isTaken, draft.poisoned, draft.size]).toEqual([false, null, 3]);
});

it('what the disk has cut is promised to nobody, and has no MD5', async () => {
  const { files, draft } = await setup();
  files.room = 2;
  await expect(draft.write(text('abc'), 0)).rejects.toMatchObject({ code: 'ENOSPC' });

  await expect(draft.sync()).rejects.toMatchObject({ code: 'ENOSPC' });
  await expect(draft.md5()).rejects.toMatchObject({ code: 'ENOSPC' });
});

it('bytes that are on the disk stay worth something when only what is said of them does not get there', async () => {
  const { files, folder, draft, budget } = await setup();
  await draft.write(text('abc'), 0);
  await draft.sync();
  const account = budget.open();
  account.hold(3);
  const found = new Draft(await folder.open(draft.id), account, 3);
  onTestFinished(() => found.close());
  files.failures.set('sync', 'EIO');

  await expect(draft.sync()).rejects.toMatchObject({ code: 'EIO' });
  await expect(found.sync()).rejects.toMatchObject({ code: 'EIO' });

  expect([draft.poisoned, found.poisoned]).toEqual([null, null]);
});

it('is promised to nobody while the disk does not have its name, however often that is asked for', async () => {
  const { files, draft } = await setup();
  await draft.write(text('abc'), 0);
  files.failures.set('sync-directory', 'EIO');
  await expect(draft.sync()).rejects.toMatchObject({ code: 'EIO' });

  await draft.truncate(0);
  await expect(draft.sync()).rejects.toMatchObject({ code: 'EIO' });
});

it('where only the first bytes of a change fit into the file, its MD5 and its revision are those of what it holds', async () => {
  const { files, draft } = await setup();
  await draft.write(text('abcdef'), 0);
  const { revision } = draft;
  Object.assign(files, { most: 2, room: 2, failureWhenFull: 'EFBIG' });

  await expect(draft.write(text('XYZ'), 1)).rejects.toMatchObject({ code: 'EFBIG' });

  expect([await draft.md5(), draft.revision > revision]).toEqual([md5Of('aXYdef'), true]);
});

it('and its room is that of what may have filled a hole', async () => {
  const { files, draft, account } = await setup();
  await draft.truncate(10);
  Object.assign(files, { most: 2, room: 2, failureWhenFull: 'EFBIG' });

  await expect(draft.write(text('abcd'), 2)).rejects.toMatchObject({ code: 'EFBIG' });

  expect(account.held).toBe(4);
});

it('says what its MD5 is without a reading of what an upload has read', async () => {
  const { draft } = await setup();
  for (const part of ['abc', 'def']) await draft.write(text(part), draft.size);
  const before = await draft.md5Within(5);
  for await (const piece of draft.body(undefined).open()) expect(piece).toHaveLength(6);

  expect([before, await draft.md5Within(5)]).toEqual([null, md5Of('abcdef')]);
});

it('that cannot be deleted gives its room back all the same', async () => {
  const { files, draft, budget } = await setup();
  await draft.write(text('abc'), 0);
  files.failures.set('remove', 'EIO');

  await expect(draft.remove()).rejects.toMatchObject({ code: 'EIO' });

  expect(budget.used).toBe(0);
});

it('that is being deleted has room soon: who writes waits for that', async () => {
  const { files, clock, folder, draft, budget } = await setup();
  const other = new Draft(await folder.create(draftFactsOf('g')), budget.open());
  onTestFinished(() => other.remove());
  await draft.write(text('abc'), 0);
  files.told = { free: 50, total: 1000 };
  clock.advance(1001);

  const removing = draft.remove();
  await expect(other.write(text('d'), 0)).rejects.toMatchObject({ code: 'ENOSPC', mayPass: true });

  await removing;
});
