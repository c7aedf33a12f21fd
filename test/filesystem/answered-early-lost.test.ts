/** SEMANTICS [write/early]: where else must nobody take bytes for safe that the disk has refused after their write was answered? */
import { describe, expect, it, onTestFinished } from 'vitest';
import { openFileSystem, type MountedFileSystem } from '../../src/filesystem/open-file-system.ts';
import { hasEnded, withHeldDisk, type HeldDisk } from '../support/held-disk.ts';
import { defaultSettings, readAll } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { errnoOfCall, LogForTest, openToEdit, openToRewrite } from '../support/program-acts.ts';

const MiB = 1024 * 1024;

describe('a file without a name', () => {
  it.each(['before', 'after'])('whose name was removed %s the write: fsync and close tell', async (when) => {
    const scene = await withHeldDisk();
    const handle = await openToRewrite(scene.fs, '/f');
    if (when === 'before') await scene.fs.unlink('/f');
    await scene.write(handle, patternedBytes(MiB), 0);
    if (when === 'after') await scene.fs.unlink('/f');

    scene.disk.failures.set('write', 'EIO');
    const syncing = errnoOfCall(scene.fs.fsync(handle));
    scene.letGo();

    expect(await syncing).toBe('EIO');
    expect(await errnoOfCall(scene.fs.flush(handle))).toBe('EIO');
    await scene.fs.release(handle);
  });

  it('whose name a rename has given to another: close tells', async () => {
    const scene = await withHeldDisk();
    const handle = await openToRewrite(scene.fs, '/f');
    await scene.write(handle, patternedBytes(MiB), 0);
    const other = await openToRewrite(scene.fs, '/other');
    await scene.fs.rename('/other', '/f', false);

    scene.disk.failures.set('write', 'EIO');
    scene.letGo();

    expect(await errnoOfCall(scene.fs.flush(handle))).toBe('EIO');
    await scene.fs.release(handle);
    await scene.fs.release(other);
  });
});

it.each([false, true])('a read does not give what was there before (unlinked: %s)', async (isUnlinked) => {
  const scene = await withHeldDisk();
  const handle = await openToRewrite(scene.fs, '/f');
  if (isUnlinked) await scene.fs.unlink('/f');
  scene.letGo();
  await scene.write(handle, patternedBytes(MiB, 1), 0);
  await readAll(scene.fs, handle);
  scene.disk.failures.set('write', 'ENOSPC');

  await scene.write(handle, patternedBytes(MiB, 2), 0);

  expect(await errnoOfCall(readAll(scene.fs, handle))).toBe('EIO');
  await scene.fs.release(handle);
});

describe('the end of the mount while the write is under way', () => {
  it('leaves no scratch file to the next mount', async () => {
    const scene = await withHeldDisk();
    const handle = await openToRewrite(scene.fs, '/.f.swp');
    await scene.write(handle, patternedBytes(MiB), 0);

    const ending = scene.mounted.close({ patience: 50 });
    scene.disk.failures.set('write', 'EIO');
    await hasEnded(ending);
    scene.letGo();

    expect(await ending).toEqual([]);
    expect((await nextMount(scene, false)).shelf()).toEqual([]);
  });

  it.each([true, false])(
    'leaves no half edit that the next mount stores (write-back: %s)',
    async (writeBack) => {
      const scene = await withHeldDisk({ settings: { writeBack } });
      const old = patternedBytes(2 * MiB, 7);
      await scene.foreignWrite('f', old);
      scene.letGo();
      const handle = await openToEdit(scene.fs, '/f');
      await scene.write(handle, patternedBytes(10), 0);
      let fail = (): void => undefined;
      const failing = new Promise<void>((_resolve, reject) => {
        fail = () => {
          reject(Object.assign(new Error('the disk failed'), { code: 'EIO' }));
        };
      });
      scene.disk.beforeWrite = (bytes) => (bytes === MiB ? failing : Promise.resolve());
      await scene.write(handle, patternedBytes(MiB), 0);

      const ending = scene.mounted.close({ patience: 50 });
      // It has given up waiting.
      await new Promise((resolve) => setTimeout(resolve, 300));
      fail();
      await ending;

      const next = await nextMount(scene, writeBack);
      await next.close({ patience: 1000 });
      expect((await scene.stored('f')).equals(old)).toBe(true);
    },
  );
});

/** On a disk that is well again. */
async function nextMount(scene: HeldDisk, writeBack: boolean): Promise<MountedFileSystem> {
  const mounted = await openFileSystem({
    service: scene.service,
    bucket: await scene.direct.getBucket(scene.bucket),
    clock: scene.clock,
    log: new LogForTest(),
    settings: { ...defaultSettings(scene.stateDirectory), writeBack },
  });
  onTestFinished(async () => {
    await mounted.close({ patience: 1000 });
  });
  return mounted;
}
