/** SEMANTICS: where is a scratch file that was renamed, also after a crash? */
import { expect, it } from 'vitest';
import type { FileHandle, FileSystemOperations } from '../../src/filesystem/operations.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { holdCommit } from '../support/journal-commits.ts';
import { names, openForTest, readFile } from '../support/open-for-test.ts';
import { openToRead, writeAt } from '../support/program-acts.ts';
import { signal } from '../support/signal.ts';

function createPrivate(fs: FileSystemOperations, path: string): Promise<FileHandle> {
  return fs.create(path, { read: true, write: true, truncate: false, exclusive: true, mode: 0o600 });
}

it('does not come back under its old name [scratch/rename]', async () => {
  const scene = await openForTest();
  const handle = await createPrivate(scene.fs, '/.file.Ab3dE9');
  await writeAt(scene.fs, handle, 'content');
  await scene.fs.fsync(handle);
  const reader = await openToRead(scene.fs, '/.file.Ab3dE9');
  await scene.fs.flush(handle);
  await scene.fs.release(handle);

  // Its draft stays for the reader.
  await scene.fs.rename('/.file.Ab3dE9', '/file', false);
  const next = await mountOver(await diskNow(scene), scene);

  expect(await names(next.operations, '/')).not.toContain('.file.Ab3dE9');
  expect((await readFile(next.operations, '/file')).toString()).toBe('content');
  await scene.fs.release(reader);
});

it.each([false, true])(
  'nor does it where it was renamed while it was made durable, and that is what fsync says then (write-back %s) [scratch/rename] [scratch/local]',
  async (writeBack) => {
    const scene = await openForTest({ settings: { writeBack } });
    const { fs } = scene;
    const handle = await createPrivate(fs, '/.file.Ab3dE9');
    await writeAt(fs, handle, 'content');
    const recording = holdCommit('put shelved');
    const synced = fs.fsync(handle);
    await recording.made;
    const renamed = fs.rename('/.file.Ab3dE9', '/file', false);
    await expect.poll(() => names(fs, '/')).toEqual(['file']);

    recording.letGo();
    await Promise.all([synced, renamed]);

    // Its draft stays for the program.
    const next = await mountOver(await diskNow(scene), scene);
    expect(await names(next.operations, '/')).toEqual(['file']);
    expect((await readFile(next.operations, '/file')).toString()).toBe('content');
    expect((await scene.stored('file')).toString()).toBe('content');
    await fs.release(handle);
  },
);

it('is in its renamed folder when it was made durable before [scratch/rename]', async () => {
  const scene = await openForTest();
  await scene.fs.mkdir('/from', 0o755);
  const handle = await createPrivate(scene.fs, '/from/.file.swp');
  await writeAt(scene.fs, handle, 'content');
  await scene.fs.fsync(handle);

  await scene.fs.rename('/from', '/to', false);
  const next = await mountOver(await diskNow(scene), scene);

  expect((await readFile(next.operations, '/to/.file.swp')).toString()).toBe('content');
  await scene.fs.release(handle);
});

it('is in its renamed folder when it was made durable meanwhile [scratch/rename] [scratch/local]', async () => {
  const [begun, goOn] = [signal(), signal()];
  const disk = new FailingDisk();
  const scene = await openForTest({ localFiles: disk });
  await scene.fs.mkdir('/from', 0o755);
  const handle = await createPrivate(scene.fs, '/from/.file.swp');
  await writeAt(scene.fs, handle, 'content');
  disk.afterSync = () => {
    begun.give();
    return goOn.given;
  };
  const synced = scene.fs.fsync(handle);
  await begun.given;

  await scene.fs.rename('/from', '/to', false);
  goOn.give();
  await synced;

  const next = await mountOver(await diskNow(scene), scene);
  expect(await names(next.operations, '/')).toEqual(['to']);
  expect((await readFile(next.operations, '/to/.file.swp')).toString()).toBe('content');
  await scene.fs.release(handle);
});

it('is stored by its rename to another folder, whatever it is called there; not by that of its folder [scratch/rename]', async () => {
  const { fs, stored, asked } = await openForTest();
  for (const folder of ['/a', '/b']) await fs.mkdir(folder, 0o755);
  const handle = await createPrivate(fs, '/a/.file.Ab3dE9');
  await writeAt(fs, handle, 'content');
  await fs.flush(handle);
  await fs.release(handle);
  await fs.rename('/a', '/c', false);
  expect(asked()).not.toContain('putObject c/.file.Ab3dE9');

  await fs.rename('/c/.file.Ab3dE9', '/b/.file.Ab3dE9', false);

  expect((await stored('b/.file.Ab3dE9')).toString()).toBe('content');
});

it('is waited for no longer: the waits for ten thousand would keep as many files', async () => {
  const { fs, clock } = await openForTest();
  const timers: number[] = [];

  for (let number = 0; number < 10; number += 1) {
    const handle = await createPrivate(fs, '/.a.Ab3dE9');
    await writeAt(fs, handle, 'content');
    await fs.flush(handle);
    await fs.release(handle);
    await fs.rename('/.a.Ab3dE9', `/a${number}`, false);
    timers.push(clock.pendingTimers);
  }

  expect(timers.at(-1)).toBe(timers[0]);
});
