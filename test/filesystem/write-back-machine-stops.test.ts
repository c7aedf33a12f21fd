/** SEMANTICS: the machine stops while a close with write-back waits for the disk, which has the record of the new bytes before the bytes. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { DraftRecord } from '../../src/content/journal/records.ts';
import { diskNow, mountOver, type DiskImage } from '../support/after-a-crash.ts';
import {
  cutDrafts,
  damageDrafts,
  damageDraftsWith,
  undoDrafts,
  undoHeaders,
  wipeHeaders,
} from '../support/draft-bytes.ts';
import { drained } from '../support/drained.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { hasEnded } from '../support/held-disk.ts';
import {
  closing,
  openForTest,
  readFile,
  writeFile,
  type FileSystemForTest,
} from '../support/open-for-test.ts';
import { openJournal } from '../support/open-journal.ts';
import { errnoOfCall, openToRewrite, setXattr, writeAt } from '../support/program-acts.ts';
import { stateOf, withPublicFile } from '../support/public-file.ts';
import { textOf } from '../support/stored-state.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

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
  return { scene, disk, closing: onHeldDisk(disk, () => writeFile(scene.fs, '/f', 'new bytes')) };
}

/** Until the test ends `disk` never says that it has anything. */
function onHeldDisk(disk: FailingDisk, act: () => Promise<void>): Promise<void> {
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  disk.afterSync = () => held;
  const acting = act();
  onTestFinished(async () => {
    letGo();
    await acting.catch(() => undefined);
  });
  return acting;
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

  expect(await errnoOfCall(readFile(next.operations, '/f'))).toBe('ENOENT');
  expect(await next.unsent.list()).toMatchObject([{ path: '/f', state: 'set aside' }]);
  expect(await textOf(scene, 'f')).toBe('(none)');
});

it('without their bytes and what their header said last they are not stored, also where the service is away at first [crash/promised]', async () => {
  const { scene } = await whileClosing(null);
  const image = await diskWithRecord(scene);
  await undoDrafts(image);
  scene.faults.add({ operation: 'headObject', times: Infinity, fault: { kind: 'status', status: 503 } });
  const away = await mountOver(image, scene, { settings });
  await away.close({ patience: 100 });
  scene.faults.clear();

  const next = await mountOver(image, scene, { settings });

  await expect.poll(() => next.unsent.list()).toMatchObject([{ path: '/f', state: 'set aside' }]);
  expect(await textOf(scene, 'f')).toBe('(none)');
});

it('without what their header said last they are stored, also when their visibility was set while the service is away [crash/promised]', async () => {
  const { scene } = await whileClosing(null);
  const image = await diskWithRecord(scene);
  await undoHeaders(image);
  scene.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 503 } });
  const away = await mountOver(image, scene, { settings });
  await setXattr(away.operations, '/f', 'user.pailfs.visibility', 'private');
  const killed = await diskNow({ stateDirectory: image.directory });
  scene.faults.clear();

  const next = await mountOver(killed, scene, { settings });

  await drained(next);
  expect(await textOf(scene, 'f')).toBe('new bytes');
});

it('a link goes up that was owed when the disk has damaged what was to replace its file [crash/link]', async () => {
  const scene = await withPublicFile({ settings });
  scene.faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 503 } });
  await writeFile(scene.fs, '/f', 'stored');
  await scene.mounted.unsent.retry(null);
  expect(await stateOf(scene)).toEqual(['stored', 'private']);
  await writeFile(scene.fs, '/f', 'between');
  await writeFile(scene.fs, '/f', 'new bytes');
  const image = await diskNow(scene);
  await damageDraftsWith(image, 'new bytes');
  scene.faults.clear();

  await mountOver(image, scene, { settings });

  await expect.poll(() => stateOf(scene)).toEqual(['stored', 'public']);
});

it('without their bytes a link goes up that was owed to what was stored before them [crash/link]', async () => {
  const disk = new FailingDisk();
  const scene = await withPublicFile({ settings, localFiles: disk });
  scene.faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 503 } });
  await writeFile(scene.fs, '/f', 'stored');
  await scene.mounted.unsent.retry(null);
  expect(await stateOf(scene)).toEqual(['stored', 'private']);
  void onHeldDisk(disk, () => writeFile(scene.fs, '/f', 'new bytes'));
  const image = await diskWithRecord(scene);
  await damageDraftsWith(image, 'new bytes');
  scene.faults.clear();

  await mountOver(image, scene, { settings });

  await expect.poll(() => stateOf(scene)).toEqual(['stored', 'public']);
});

it('without their bytes what another mount has promised under their name is stored [crash/promised]', async () => {
  const { scene } = await whileClosing(null);
  const image = await diskWithRecord(scene);
  await damageDrafts(image);
  const earlier = { directory: await temporaryDirectory() };
  scene.clock.advance(-1000);
  const other = await mountOver(earlier, scene, { settings });
  await writeFile(other.operations, '/f', 'promised');

  const next = await mountOver(image, scene, {
    settings,
    adopted: [await diskNow({ stateDirectory: earlier.directory })],
  });

  await expect.poll(() => textOf(scene, 'f')).toBe('promised');
  expect(await next.unsent.list()).toMatchObject([{ path: '/f', state: 'set aside', bytes: 9 }]);
});

it('a rename promises a scratch file: without its bytes what it was to replace is stored [crash/promised]', async () => {
  const disk = new FailingDisk();
  const scene = await openForTest({ settings, localFiles: disk });
  await writeFile(scene.fs, '/f', 'promised');
  scene.clock.advance(10);
  const scratch = await scene.fs.create('/.f.AbCdEf', {
    read: false,
    write: true,
    truncate: true,
    exclusive: true,
    mode: 0o600,
  });
  await closing(scene.fs, scratch, () => writeAt(scene.fs, scratch, 'new bytes'));
  void onHeldDisk(disk, () => scene.fs.rename('/.f.AbCdEf', '/f', false));
  const image = await diskWithRecord(scene);
  await damageDraftsWith(image, 'new bytes');

  const next = await mountOver(image, scene, { settings });

  await expect.poll(() => textOf(scene, 'f')).toBe('promised');
  expect(await next.unsent.list()).toMatchObject([{ path: '/f', state: 'set aside', bytes: 9 }]);
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
