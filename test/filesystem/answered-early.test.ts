/** SEMANTICS [write/early]: a program goes on while the bytes of its last write are put on the local disk, and hears when that fails. */
import { describe, expect, it } from 'vitest';
import { hasEnded, withHeldDisk } from '../support/held-disk.ts';
import { readAll } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { errnoOfCall, openToEdit, openToRewrite } from '../support/program-acts.ts';

const MiB = 1024 * 1024;
const SHORT = 64 * 1024;
const FAILED = 'bytes that a program wrote did not get onto the local disk';

describe('a long write', () => {
  it('is answered before the disk has its bytes, and the file is as large as it says [write/early]', async () => {
    const scene = await withHeldDisk();
    const handle = await openToRewrite(scene.fs, '/f');

    await scene.write(handle, patternedBytes(MiB), 0);

    expect(scene.freed()).toBe(0);
    expect((await scene.fs.getAttributes('/f')).size).toBe(MiB);
    scene.letGo();
    await scene.fs.flush(handle);
    expect(scene.freed()).toBe(1);
    await scene.fs.release(handle);
  });

  it('is what reads give, which wait for the disk [write/early]', async () => {
    const scene = await withHeldDisk();
    const handle = await openToRewrite(scene.fs, '/f');
    const bytes = patternedBytes(MiB);
    await scene.write(handle, bytes, 0);

    const reading = readAll(scene.fs, handle);

    expect(await hasEnded(reading)).toBe(false);
    scene.letGo();
    expect((await reading).equals(bytes)).toBe(true);
    await scene.fs.release(handle);
  });

  it('is stored by the close, which waits for the disk [write/early]', async () => {
    const scene = await withHeldDisk();
    const handle = await openToRewrite(scene.fs, '/f');
    const [first, second] = [patternedBytes(MiB, 1), patternedBytes(MiB, 2)];
    await scene.write(handle, first, 0);
    const writing = scene.write(handle, second, MiB);
    expect(await hasEnded(writing)).toBe(false);

    const closing = writing.then(() => scene.fs.flush(handle));

    expect(await hasEnded(closing)).toBe(false);
    scene.letGo();
    await closing;
    await scene.fs.release(handle);
    expect((await scene.stored('f')).equals(Buffer.concat([first, second]))).toBe(true);
  });

  it('is cut by a truncation that comes after it [write/early]', async () => {
    const scene = await withHeldDisk();
    const handle = await openToRewrite(scene.fs, '/f');
    const bytes = patternedBytes(MiB);
    await scene.write(handle, bytes, 0);

    const cutting = scene.fs.truncate('/f', 10, handle);
    scene.letGo();
    await cutting;

    await scene.fs.flush(handle);
    await scene.fs.release(handle);
    expect((await scene.stored('f')).equals(bytes.subarray(0, 10))).toBe(true);
  });

  it('moves the time of the file once [write/early]', async () => {
    const scene = await withHeldDisk();
    const handle = await openToRewrite(scene.fs, '/f');
    await scene.write(handle, patternedBytes(MiB), 0);
    const { mtime } = await scene.fs.getAttributes('/f');

    scene.clock.advance(5000);
    scene.letGo();
    await scene.fs.flush(handle);

    expect((await scene.fs.getAttributes('/f')).mtime).toBe(mtime);
    await scene.fs.release(handle);
  });
});

describe('a write that is answered when the disk has its bytes', () => {
  it.each([
    ['is short', SHORT, 0],
    ['leaves a hole, for which there may be no room in a file', MiB, 1],
  ])('%s', async (_which, size, position) => {
    const scene = await withHeldDisk();
    const handle = await openToRewrite(scene.fs, '/f');

    const writing = scene.write(handle, patternedBytes(size), position);

    expect(await hasEnded(writing)).toBe(false);
    scene.letGo();
    await writing;
    await scene.fs.release(handle);
  });

  it.each(['after', 'together with'])('comes %s many others that it has not [write/early]', async (when) => {
    const scene = await withHeldDisk();
    const handles = await Promise.all(
      Array.from({ length: 20 }, (_, index) => openToRewrite(scene.fs, `/f${index}`)),
    );
    let answered = 0;
    const writes: Promise<void>[] = [];
    for (const handle of handles) {
      const writing = scene.write(handle, patternedBytes(MiB), 0).then(() => {
        answered += 1;
      });
      writes.push(writing);
      if (when === 'after') await hasEnded(writing);
    }

    expect(await hasEnded(Promise.all(writes))).toBe(false);
    expect(answered).toBe(16);
    scene.letGo();
    await Promise.all(writes);
    for (const handle of handles) await scene.fs.release(handle);
    expect(scene.freed()).toBe(20);
  });
});

describe('bytes that were taken and that the disk then refuses', () => {
  it.each([
    ['ENOSPC', 'ENOSPC'],
    ['EDQUOT', 'ENOSPC'],
    ['EIO', 'EIO'],
    ['EFBIG', 'EFBIG'],
  ])(
    'for %s are told by the next write, fsync and close, and never stored [write/early]',
    async (code, told) => {
      const scene = await withHeldDisk();
      await scene.foreignWrite('f', 'old');
      const handle = await openToRewrite(scene.fs, '/f');
      await scene.write(handle, patternedBytes(MiB), 0);

      scene.disk.failures.set('write', code);
      scene.letGo();

      await expect
        .poll(() => scene.log.about(FAILED))
        .toMatchObject([{ level: 'error', fields: { path: '/f' } }]);
      expect(await errnoOfCall(scene.write(handle, patternedBytes(MiB), MiB))).toBe(told);
      expect(await errnoOfCall(scene.fs.fsync(handle))).toBe(told);
      expect(await errnoOfCall(scene.fs.flush(handle))).toBe(told);
      await scene.fs.release(handle);
      expect((await scene.stored('f')).toString()).toBe('old');
      expect(await scene.mounted.unsent.list()).toEqual([]);
      expect(scene.asked()).not.toContain('putObject f');
      expect(scene.freed()).toBe(2);
    },
  );

  it.each([
    ['that already waits for them', '/f', false],
    ['that only promises, with write-back', '/f', true],
    ['of a scratch file, which stays on this machine', '/.f.swp', false],
  ])('are told by the close %s [write/early]', async (_which, path, writeBack) => {
    const scene = await withHeldDisk({ settings: { writeBack } });
    const handle = await openToRewrite(scene.fs, path);
    await scene.write(handle, patternedBytes(MiB), 0);

    const closing = errnoOfCall(scene.fs.flush(handle));
    scene.disk.failures.set('write', 'ENOSPC');
    scene.letGo();

    expect(await closing).toBe('ENOSPC');
    await scene.fs.release(handle);
    expect(await scene.mounted.unsent.list()).toEqual([]);
    expect(scene.mounted.shelf()).toEqual([]);
  });

  it('are nothing once the file is emptied, and what is written then is stored [write/early]', async () => {
    const scene = await withHeldDisk();
    const handle = await openToRewrite(scene.fs, '/f');
    await scene.write(handle, patternedBytes(MiB), 0);
    scene.disk.failures.set('write', 'EIO');
    scene.letGo();
    await expect.poll(() => scene.log.about(FAILED)).toHaveLength(1);
    scene.disk.failures.clear();

    await scene.fs.truncate('/f', 0, handle);
    await scene.write(handle, Buffer.from('new'), 0);
    await scene.fs.flush(handle);
    await scene.fs.release(handle);

    expect((await scene.stored('f')).toString()).toBe('new');
  });

  it('cut an edit in place, whose file stays as it was [write/early]', async () => {
    const scene = await withHeldDisk();
    const old = patternedBytes(2 * MiB, 7);
    await scene.foreignWrite('f', old);
    scene.letGo();
    const handle = await openToEdit(scene.fs, '/f');
    await scene.write(handle, patternedBytes(10), 0);
    scene.disk.failures.set('write', 'EIO');

    await scene.write(handle, patternedBytes(MiB), 0);

    expect(await errnoOfCall(scene.fs.flush(handle))).toBe('EIO');
    await scene.fs.release(handle);
    expect((await scene.stored('f')).equals(old)).toBe(true);
  });
});
