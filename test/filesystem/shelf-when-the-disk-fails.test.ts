/** SEMANTICS: what a close or an fsync has said of a scratch file is kept, whatever the local disk says to what comes later. */
import { describe, expect, it } from 'vitest';
import type { FileHandle } from '../../src/filesystem/operations.ts';
import { draftText } from '../support/draft-bytes.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { drained } from '../support/drained.ts';
import { names, openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall, openToEdit, openToRead, textAt, writeAt } from '../support/program-acts.ts';

const SWAP = '/.f.swp';
const TRANSFER = '/.f.AbCdEf';
/** Longer than a transfer waits for its rename, milliseconds. */
const LONG = 31_000;

function createScratch({ fs }: FileSystemForTest, path: string) {
  return fs.create(path, { read: true, write: true, truncate: true, exclusive: true, mode: 0o600 });
}

/** A program has written a file under the name that it has until it is whole. */
async function closeTransfer(scene: FileSystemForTest): Promise<void> {
  const handle = await createScratch(scene, TRANSFER);
  await writeAt(scene.fs, handle, 'new bytes');
  await scene.fs.flush(handle);
  await scene.fs.release(handle);
}

/** It gives it the name `/f`, which the disk does not outlast. */
async function renameRefused(
  { fs }: FileSystemForTest,
  disk: FailingDisk,
  step: 'sync' | 'sync-directory',
): Promise<void> {
  disk.failures.set(step, 'ENOSPC');
  expect(await errnoOfCall(fs.rename(TRANSFER, '/f', false))).toBe('ENOSPC');
  disk.failures.clear();
}

/** Path, state and bytes of all that is not stored. */
async function kept({ mounted }: FileSystemForTest) {
  const changes = await mounted.unsent.list();
  return Promise.all(
    changes.map(async ({ path, state, file }) => [path, state, await draftText(file ?? '')]),
  );
}

/** A program adds to the fifteen bytes of a scratch file, hears that there is no room, and closes it. */
async function writeToFullDiskAndClose({ fs }: FileSystemForTest, disk: FailingDisk, handle: FileHandle) {
  disk.room = 0;
  expect(await errnoOfCall(writeAt(fs, handle, ' and more', 15))).toBe('ENOSPC');
  disk.room = Infinity;
  await errnoOfCall(fs.flush(handle));
  await fs.release(handle);
}

describe.each([false, true])(
  'with write-back %s, a write to a scratch file finds the disk full',
  (writeBack) => {
    it('what was synced of it is set aside when it is closed [write/no-space]', async () => {
      const disk = new FailingDisk();
      const scene = await openForTest({ localFiles: disk, settings: { writeBack } });
      const handle = await createScratch(scene, SWAP);
      await writeAt(scene.fs, handle, 'to be recovered');
      await scene.fs.fsync(handle);

      await writeToFullDiskAndClose(scene, disk, handle);

      expect(await kept(scene)).toEqual([[SWAP, 'set aside', 'to be recovered']]);
      expect(await names(scene.fs, '/')).toEqual([]);
    });

    it('so is what was closed before', async () => {
      const disk = new FailingDisk();
      const scene = await openForTest({ localFiles: disk, settings: { writeBack } });
      await writeFile(scene.fs, SWAP, 'to be recovered');
      const handle = await openToEdit(scene.fs, SWAP);

      await writeToFullDiskAndClose(scene, disk, handle);

      expect(await kept(scene)).toEqual([[SWAP, 'set aside', 'to be recovered']]);
    });

    it('so is what was closed before, under the name that a rename gives it while the program has it open', async () => {
      const disk = new FailingDisk();
      const scene = await openForTest({ localFiles: disk, settings: { writeBack } });
      await writeFile(scene.fs, SWAP, 'to be recovered');
      const handle = await openToEdit(scene.fs, SWAP);
      disk.room = 0;
      expect(await errnoOfCall(writeAt(scene.fs, handle, ' and more', 15))).toBe('ENOSPC');
      disk.room = Infinity;

      await scene.fs.rename(SWAP, '/f', false);
      expect(await errnoOfCall(scene.fs.flush(handle))).toBe('ENOSPC');
      await scene.fs.release(handle);

      expect(await kept(scene)).toEqual([['/f', 'set aside', 'to be recovered']]);
    });

    it('one that nobody had synced or closed is gone, as its program heard', async () => {
      const disk = new FailingDisk();
      const scene = await openForTest({ localFiles: disk, settings: { writeBack } });
      const handle = await createScratch(scene, SWAP);
      await writeAt(scene.fs, handle, 'half');

      disk.room = 0;
      expect(await errnoOfCall(writeAt(scene.fs, handle, ' and more', 4))).toBe('ENOSPC');
      disk.room = Infinity;
      expect(await errnoOfCall(scene.fs.flush(handle))).toBe('ENOSPC');
      await scene.fs.release(handle);

      expect(await kept(scene)).toEqual([]);
    });
  },
);

it.each([true, false])(
  'a closed transfer that nobody renames, and that the disk lets down when it is to be stored, is set aside (write-back %s) [write/no-space]',
  async (writeBack) => {
    const disk = new FailingDisk();
    const scene = await openForTest({ localFiles: disk, settings: { writeBack } });
    await closeTransfer(scene);
    // What is not stored is recorded: with write-back before anything is sent, else once that has failed.
    if (!writeBack) scene.store.changeAccount({ gracePeriod: true });

    disk.failures.set('sync', 'ENOSPC');
    scene.clock.advance(LONG);

    const setAside = [[TRANSFER, 'set aside', 'new bytes']];
    await expect.poll(() => kept(scene)).toEqual(setAside);
    disk.failures.clear();
    await scene.mounted.unsent.retry(null);
    expect(await kept(scene)).toEqual(setAside);
  },
);

it.each(['sync', 'sync-directory'] as const)(
  'a closed transfer whose rename the disk does not outlast (%s) is set aside, and the rename says so (--write-back)',
  async (step) => {
    const disk = new FailingDisk();
    const scene = await openForTest({ localFiles: disk, settings: { writeBack: true } });
    await scene.foreignWrite('f', 'old');
    await closeTransfer(scene);

    await renameRefused(scene, disk, step);

    expect((await readFile(scene.fs, '/f')).toString()).toBe('old');
    expect(await kept(scene)).toEqual([['/f', 'set aside', 'new bytes']]);
  },
);

it('who reads the file that such a transfer was to replace goes on with it, and with what is written to it next', async () => {
  const disk = new FailingDisk();
  const scene = await openForTest({ localFiles: disk, settings: { writeBack: true } });
  await scene.foreignWrite('f', 'old');
  const reader = await openToRead(scene.fs, '/f');
  await closeTransfer(scene);
  await renameRefused(scene, disk, 'sync');
  expect(await textAt(scene.fs, reader)).toBe('old');

  await writeFile(scene.fs, '/f', 'newer');

  expect(await textAt(scene.fs, reader)).toBe('newer');
});

it('what waited under the new name of such a transfer is stored [scratch/rename]', async () => {
  const disk = new FailingDisk();
  const scene = await openForTest({ localFiles: disk, settings: { writeBack: true } });
  await scene.foreignWrite('f', 'old');
  scene.store.changeAccount({ gracePeriod: true });
  await writeFile(scene.fs, '/f', 'promised');
  await closeTransfer(scene);

  await renameRefused(scene, disk, 'sync');
  scene.store.changeAccount({ gracePeriod: false });
  await drained(scene.mounted).catch(() => undefined);

  expect((await readFile(scene.fs, '/f')).toString()).toBe('promised');
  expect((await scene.stored('f')).toString()).toBe('promised');
  expect(await kept(scene)).toContainEqual(['/f', 'set aside', 'new bytes']);
});
