/** SEMANTICS [write/early]: a program goes on while the bytes of its last write are put on the local disk, and hears when that fails. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FileHandle } from '../../src/filesystem/operations.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { openForTest, readAll, type FileSystemForTest, type TestOptions } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { errnoOfCall, LogForTest, openToEdit, openToRewrite } from '../support/program-acts.ts';

const MiB = 1024 * 1024;
const SHORT = 4096;
const FAILED = 'bytes that a program wrote did not get onto the local disk';

interface Buffers {
  /** How often the file system has given one back. */
  freed: number;
}

interface Scene extends FileSystemForTest {
  readonly disk: FailingDisk;
  readonly log: LogForTest;
  /** The disk takes bytes again. */
  readonly letGo: () => void;
  /** As a driver writes that hands its buffers over. */
  readonly write: (handle: FileHandle, data: Uint8Array, position: number) => Promise<void>;
  readonly buffers: Buffers;
}

/** The disk takes nothing that is longer than a header until it is let go. */
async function withHeldDisk(options: TestOptions = {}): Promise<Scene> {
  const disk = new FailingDisk();
  const log = new LogForTest();
  const scene = await openForTest({ ...options, localFiles: disk, log });
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  disk.beforeWrite = (bytes) => (bytes >= SHORT ? held : Promise.resolve());
  onTestFinished(() => {
    letGo();
  });
  const buffers = { freed: 0 };
  const write: Scene['write'] = async (handle, data, position) => {
    const count = await scene.fs.write(handle, data, position, () => {
      buffers.freed += 1;
    });
    expect(count).toBe(data.length);
  };
  return { ...scene, disk, log, letGo, write, buffers };
}

/** Whether it has ended once everything has that needs no disk. */
async function hasEnded(promise: Promise<unknown>): Promise<boolean> {
  let ended = false;
  promise.then(
    () => (ended = true),
    () => (ended = true),
  );
  await new Promise((resolve) => setTimeout(resolve, 20));
  return ended;
}

describe('a long write', () => {
  it('is answered before the disk has its bytes, and the file is as large as it says [write/early]', async () => {
    const scene = await withHeldDisk();
    const handle = await openToRewrite(scene.fs, '/f');

    await scene.write(handle, patternedBytes(MiB), 0);

    expect(scene.buffers.freed).toBe(0);
    expect((await scene.fs.getAttributes('/f')).size).toBe(MiB);
    scene.letGo();
    await scene.fs.flush(handle);
    expect(scene.buffers.freed).toBe(1);
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

  it('comes after many others that it has not [write/early]', async () => {
    const scene = await withHeldDisk();
    const handles = await Promise.all(
      Array.from({ length: 17 }, (_, index) => openToRewrite(scene.fs, `/f${index}`)),
    );
    const [last, ...others] = handles;
    for (const handle of others) await scene.write(handle, patternedBytes(MiB), 0);
    if (last === undefined) throw new Error('no handle');

    const writing = scene.write(last, patternedBytes(MiB), 0);

    expect(await hasEnded(writing)).toBe(false);
    scene.letGo();
    await writing;
    for (const handle of handles) await scene.fs.release(handle);
    expect(scene.buffers.freed).toBe(17);
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
      expect(scene.buffers.freed).toBe(2);
    },
  );

  it('are told by the close that already waits for them [write/early]', async () => {
    const scene = await withHeldDisk();
    const handle = await openToRewrite(scene.fs, '/f');
    await scene.write(handle, patternedBytes(MiB), 0);

    const closing = errnoOfCall(scene.fs.flush(handle));
    scene.disk.failures.set('write', 'EIO');
    scene.letGo();

    expect(await closing).toBe('EIO');
    await scene.fs.release(handle);
  });

  it('are promised by no close with write-back [write/early]', async () => {
    const scene = await withHeldDisk({ settings: { writeBack: true } });
    const handle = await openToRewrite(scene.fs, '/f');
    await scene.write(handle, patternedBytes(MiB), 0);

    const closing = errnoOfCall(scene.fs.flush(handle));
    scene.disk.failures.set('write', 'ENOSPC');
    scene.letGo();

    expect(await closing).toBe('ENOSPC');
    await scene.fs.release(handle);
    expect(await scene.mounted.unsent.list()).toEqual([]);
  });

  it('are told of a scratch file, too, which stays on this machine [write/early]', async () => {
    const scene = await withHeldDisk();
    const handle = await openToRewrite(scene.fs, '/.f.swp');
    await scene.write(handle, patternedBytes(MiB), 0);

    const closing = errnoOfCall(scene.fs.flush(handle));
    scene.disk.failures.set('write', 'ENOSPC');
    scene.letGo();

    expect(await closing).toBe('ENOSPC');
    await scene.fs.release(handle);
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
