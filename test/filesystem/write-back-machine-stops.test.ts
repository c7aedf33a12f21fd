/** SEMANTICS: the machine stops while a close with write-back waits for the disk, which has the record of the new bytes before the bytes. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { DraftRecord } from '../../src/content/journal/records.ts';
import { diskNow, mountOver, type DiskImage } from '../support/after-a-crash.ts';
import { cutDrafts, damageDrafts, wipeHeaders } from '../support/draft-bytes.ts';
import { drained } from '../support/drained.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { hasEnded } from '../support/held-disk.ts';
import { openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { openJournal } from '../support/open-journal.ts';
import { errnoOfCall, openToRewrite, writeAt } from '../support/program-acts.ts';
import { textOf } from '../support/stored-state.ts';

const settings = { writeBack: true } as const;

interface Closing {
  readonly scene: FileSystemForTest;
  readonly disk: FailingDisk;
  readonly closing: Promise<void>;
}

/** `/f` is closed with these bytes; the disk takes records, and never says that it has the bytes. `before`: what an earlier close has promised of it. */
async function whileClosing(before: string | null): Promise<Closing> {
  const disk = new FailingDisk();
  const scene = await openForTest({ settings, localFiles: disk });
  if (before !== null) await writeFile(scene.fs, '/f', before);
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  disk.afterSync = () => held;
  const closing = writeFile(scene.fs, '/f', 'new bytes');
  onTestFinished(async () => {
    letGo();
    await closing.catch(() => undefined);
  });
  return { scene, disk, closing };
}

async function recordsOf(image: DiskImage): Promise<readonly DraftRecord[]> {
  const { journal } = await openJournal(image.directory);
  return journal.contents.drafts;
}

/** The disk as soon as it has a record of the new bytes. */
async function diskWithRecord(scene: FileSystemForTest): Promise<DiskImage> {
  for (;;) {
    const image = await diskNow(scene);
    const records = await recordsOf(await copyOf(image));
    if (records.some(({ facts }) => facts.sealed?.size === 'new bytes'.length)) return image;
  }
}

/** To read a journal is to change it. */
const copyOf = ({ directory }: DiskImage): Promise<DiskImage> => diskNow({ stateDirectory: directory });

const removeDrafts = ({ directory }: DiskImage): Promise<void> =>
  rm(join(directory, 'drafts'), { recursive: true });

it('a close returns only when the disk has the bytes, too, and is stored then [write-back/close]', async () => {
  const { scene, closing } = await whileClosing(null);
  const image = await diskWithRecord(scene);

  expect(await hasEnded(closing)).toBe(false);
  expect(await scene.mounted.unsent.list()).toMatchObject([{ path: '/f', state: 'open' }]);

  const next = await mountOver(image, scene, { settings });
  await drained(next);
  expect(await textOf(scene, 'f')).toBe('new bytes');
});

it.each([
  { lost: 'bytes', lose: damageDrafts },
  { lost: 'length', lose: cutDrafts },
  { lost: 'header', lose: wipeHeaders },
])('without their $lost they are set aside, and not stored [crash/promised]', async ({ lose }) => {
  const { scene } = await whileClosing(null);
  const image = await diskWithRecord(scene);
  await lose(image);

  const next = await mountOver(image, scene, { settings });

  await expect.poll(() => next.unsent.list()).toMatchObject([{ path: '/f', state: 'set aside' }]);
  await expect.poll(() => errnoOfCall(readFile(next.operations, '/f'))).toBe('ENOENT');
  expect(await textOf(scene, 'f')).toBe('(none)');
});

it('without their file nothing is stored, and the name stays free [crash/promised]', async () => {
  const { scene } = await whileClosing(null);
  const image = await diskWithRecord(scene);
  await removeDrafts(image);

  const next = await mountOver(image, scene, { settings });

  await drained(next);
  expect(await errnoOfCall(readFile(next.operations, '/f'))).toBe('ENOENT');
  await writeFile(next.operations, '/f', 'again');
  await drained(next);
  expect(await textOf(scene, 'f')).toBe('again');
});

it('what an earlier close has promised goes on to be what waits until the disk has the new bytes [crash/promised]', async () => {
  const { scene, closing } = await whileClosing('promised');
  expect(await hasEnded(closing)).toBe(false);
  const image = await diskNow(scene);
  const records = await recordsOf(await copyOf(image));
  expect(records.map(({ state, facts }) => [state, facts.sealed?.size])).toEqual([['queued', 8]]);

  const next = await mountOver(image, scene, { settings });

  await drained(next);
  expect(await textOf(scene, 'f')).toBe('promised');
});

it('a close for which the disk refuses the bytes has promised nothing [write-back/close]', async () => {
  const disk = new FailingDisk();
  const scene = await openForTest({ settings, localFiles: disk });
  const handle = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, handle, 'refused');
  disk.failures.set('sync', 'EIO');

  expect(await errnoOfCall(scene.fs.flush(handle))).toBe('EIO');

  const image = await diskNow(scene);
  expect(await recordsOf(await copyOf(image))).toEqual([]);
  await scene.fs.release(handle);
  const next = await mountOver(image, scene, { settings });
  await drained(next);
  expect(await textOf(scene, 'f')).toBe('(none)');
});
