/** SEMANTICS: with write-back, what a close or an unlink promised before the mount was killed is kept by the next one. */
import { describe, expect, it } from 'vitest';
import type { MountedFileSystem } from '../../src/filesystem/open-file-system.ts';
import { diskNow, mountOver, type DiskImage } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { draftText } from '../support/draft-bytes.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import {
  closing,
  names,
  openForTest,
  readFile,
  writeFile,
  type FileSystemForTest,
} from '../support/open-for-test.ts';
import { edit, openToEdit, openToRewrite, setXattr, writeAt, xattr } from '../support/program-acts.ts';
import { textOf } from '../support/stored-state.ts';

const settings = { writeBack: true } as const;

const open = (): Promise<FileSystemForTest> => openForTest({ settings });

/** The next mount with write-back, when all that it found is done. */
async function settledOver(disk: DiskImage, scene: FileSystemForTest): Promise<MountedFileSystem> {
  const next = await mountOver(disk, scene, { settings });
  await drained(next);
  return next;
}

describe('what was closed and not stored yet', () => {
  it('is at its path again at once, and is stored [write-back/crash]', async () => {
    const scene = await open();
    for (const name of ['a', 'b', 'c']) await writeFile(scene.fs, `/${name}`, `kept ${name}`);

    const next = await mountOver(await diskNow(scene), scene, { settings });

    expect(await names(next.operations, '/')).toEqual(['a', 'b', 'c']);
    expect((await readFile(next.operations, '/a')).toString()).toBe('kept a');
    for (const name of ['a', 'b', 'c']) await expect.poll(() => textOf(scene, name)).toBe(`kept ${name}`);
    await expect.poll(() => next.unsent.list()).toEqual([]);
  });

  it('is stored by a mount without write-back, too [write-back/crash]', async () => {
    const scene = await open();
    await scene.foreignWrite('old', 'x');
    await names(scene.fs, '/');
    await writeFile(scene.fs, '/f', 'kept');
    await scene.fs.unlink('/old');
    await scene.foreignWrite('old', 'x');
    const disk = await diskNow(scene);

    const next = await mountOver(disk, scene);

    await expect.poll(() => textOf(scene, 'f')).toBe('kept');
    expect(await next.close({ patience: 60_000 })).toEqual([]);
  });

  it('is what the last close left, whatever was written since [write-back/crash] [crash/promised]', async () => {
    const scene = await open();
    await writeFile(scene.fs, '/f', 'promised');
    const handle = await openToEdit(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'HALF');

    const next = await settledOver(await diskNow(scene), scene);

    expect(await textOf(scene, 'f')).toBe('promised');
    expect(next.setAside).toMatchObject([{ key: 'f' }]);
    expect(await draftText(next.setAside[0]?.file ?? '')).toBe('HALFised');
    await scene.fs.release(handle);
  });

  it('is the newest of several, and nothing else is left', async () => {
    const scene = await open();
    await writeFile(scene.fs, '/f', 'one');
    await writeFile(scene.fs, '/f', 'two');

    const next = await settledOver(await diskNow(scene), scene);

    expect(await textOf(scene, 'f')).toBe('two');
    expect(next.setAside).toEqual([]);
  });

  it('is under the name that it was renamed to, over what was there', async () => {
    const scene = await open();
    await scene.foreignWrite('name', 'old');
    await setXattr(scene.fs, '/name', 'user.pailfs.visibility', 'public');
    await writeFile(scene.fs, '/temporary', 'new');
    await scene.fs.rename('/temporary', '/name', false);

    const next = await settledOver(await diskNow(scene), scene);

    expect(await names(next.operations, '/')).toEqual(['name']);
    expect(await textOf(scene, 'name')).toBe('new');
    expect((await scene.direct.getVisibility(scene.bucket, 'name')).visibility).toBe('public');
  });

  it('nor is it lost while a scratch file that fsync has kept is renamed to its true name [scratch/local]', async () => {
    const localFiles = new FailingDisk();
    const scene = await openForTest({ settings, localFiles });
    const scratch = '/.f.Ab3dE9';
    const intent = { read: false, write: true, truncate: false, exclusive: true, mode: 0o600 };
    const handle = await scene.fs.create(scratch, intent);
    await closing(scene.fs, handle, async () => {
      await writeAt(scene.fs, handle, 'kept');
      await scene.fs.fsync(handle);
    });
    const disks: DiskImage[] = [];
    localFiles.afterSync = async () => {
      disks.push(await diskNow(scene));
    };
    await scene.fs.rename(scratch, '/f', false);
    disks.push(await diskNow(scene));
    expect(disks.length).toBeGreaterThan(1);

    for (const disk of disks) {
      const next = await mountOver(disk, scene, { settings });
      const [name = 'nothing', ...others] = await names(next.operations, '/');
      expect(others).toEqual([]);
      expect((await readFile(next.operations, `/${name}`)).toString()).toBe('kept');
      expect(next.setAside).toEqual([]);
      await next.close({ patience: 60_000 });
      await scene.direct.deleteObject(scene.bucket, name);
    }
  });

  it('and was unlinked does not come back', async () => {
    const scene = await open();
    await writeFile(scene.fs, '/f', 'gone');
    await scene.fs.unlink('/f');

    const next = await settledOver(await diskNow(scene), scene);

    expect(await names(next.operations, '/')).toEqual([]);
    expect(next.setAside).toEqual([]);
  });

  it('and had arrived without an answer is not sent again, and is no conflict', async () => {
    const scene = await open();
    await scene.foreignWrite('f', 'base');
    await edit(scene.fs, '/f', 'B', 0);
    const disk = await diskNow(scene);
    await scene.foreignWrite('f', 'Base');
    scene.asked();

    const next = await settledOver(disk, scene);

    expect(await names(next.operations, '/')).toEqual(['f']);
    expect(scene.asked()).not.toContain('putObject f');
  });

  it('is not replaced by half of what was written anew from empty', async () => {
    const scene = await open();
    await writeFile(scene.fs, '/f', 'promised');
    const handle = await openToRewrite(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'ha');

    await settledOver(await diskNow(scene), scene);

    expect(await textOf(scene, 'f')).toBe('promised');
    await scene.fs.release(handle);
  });
});

it('a link that an upload has taken away is given back to the file that was closed just when that began [crash/link]', async () => {
  const localFiles = new FailingDisk();
  let closing: Promise<void> | undefined;
  let disk: DiskImage | undefined;
  const scene: FileSystemForTest = await openForTest({
    settings,
    localFiles,
    between: (service) =>
      new InterceptedService(service, async (call, proceed) => {
        if (disk !== undefined) throw new Error('the mount is dead');
        const answer = await proceed();
        await closing;
        if (call.operation === 'putObject') disk = await diskNow(scene);
        return answer;
      }),
  });
  await scene.foreignWrite('f', 'old');
  await scene.direct.setVisibility(scene.bucket, 'f', 'public');
  await writeFile(scene.fs, '/f', 'first');
  const later = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, later, 'later');
  localFiles.afterSync = async () => {
    closing ??= scene.fs.flush(later);
    // What it does without the disk.
    await new Promise((resolve) => setImmediate(resolve));
  };

  await drained(scene.mounted).catch(() => undefined);
  if (disk === undefined) throw new Error('nothing was stored');
  expect(await scene.stored('f')).toEqual(Buffer.from('first'));
  await settledOver(disk, scene);

  expect(await textOf(scene, 'f')).toBe('later');
  expect((await scene.direct.getVisibility(scene.bucket, 'f')).visibility).toBe('public');
  await scene.fs.release(later);
});

it('a link that was given back is left alone after a kill, though a program wrote on at that moment [crash/link]', async () => {
  let writing: Promise<void> | undefined;
  const scene: FileSystemForTest = await openForTest({
    settings,
    between: (service) =>
      new InterceptedService(service, async (call, proceed) => {
        const answer = await proceed();
        if (call.operation === 'setVisibility')
          setImmediate(() => {
            writing ??= writeAt(scene.fs, handle, 'HALF');
          });
        return answer;
      }),
  });
  const { direct, bucket } = scene;
  await scene.foreignWrite('f', 'old');
  await direct.setVisibility(bucket, 'f', 'public');
  const handle = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, handle, 'stored');
  await scene.fs.fsync(handle);
  await writing;
  const disk = await diskNow(scene);
  await direct.setVisibility(bucket, 'f', 'private');

  const next = await settledOver(disk, scene);
  await next.close({ patience: 60_000 });

  expect(await textOf(scene, 'f')).toBe('stored');
  expect((await direct.getVisibility(bucket, 'f')).visibility).toBe('private');
  await scene.fs.release(handle);
});

it('a link that could not be given back is given to what was closed since, and only once [crash/link]', async () => {
  const scene = await open();
  const { direct, bucket, faults } = scene;
  await scene.foreignWrite('f', 'old');
  await direct.setVisibility(bucket, 'f', 'public');
  await writeFile(scene.fs, '/f', 'stored');
  faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 503 } });
  await drained(scene.mounted).catch(() => undefined);
  await writeFile(scene.fs, '/f', 'waits');
  const disk = await diskNow(scene);
  faults.clear();
  expect(await textOf(scene, 'f')).toBe('stored');

  const next = await settledOver(disk, scene);
  expect(await textOf(scene, 'f')).toBe('waits');
  expect((await direct.getVisibility(bucket, 'f')).visibility).toBe('public');
  await next.close({ patience: 60_000 });
  await direct.setVisibility(bucket, 'f', 'private');
  await settledOver(disk, scene);

  expect((await direct.getVisibility(bucket, 'f')).visibility).toBe('private');
});

it.each([
  ['an edit', 'write-back', (scene: FileSystemForTest) => edit(scene.fs, '/f', 'edited', 0)],
  ['a rewrite', 'write-back', (scene: FileSystemForTest) => writeFile(scene.fs, '/f', 'anew')],
  ['a rewrite', 'write-through', (scene: FileSystemForTest) => writeFile(scene.fs, '/f', 'anew')],
])(
  'why %s was refused to the next mount (%s) is shown by the name, which nobody has looked at, and told to the next fsync, once [write-back/refused]',
  async (_, mode, write) => {
    const scene = await open();
    await scene.foreignWrite('f', 'stored');
    await write(scene);
    const disk = await diskNow(scene);
    scene.faults.add({ operation: 'putObject', times: 1, fault: { kind: 'status', status: 403 } });

    const next = await mountOver(disk, scene, { settings: { writeBack: mode === 'write-back' } });
    if (mode === 'write-back') await drained(next);

    await expect.poll(() => next.unsent.list()).toMatchObject([{ path: '/f', state: 'set aside' }]);
    const { operations: fs } = next;
    expect((await readFile(fs, '/f')).toString()).toBe('stored');
    expect(await xattr(fs, '/f', 'user.pailfs.state')).toBe('failed');
    expect(await xattr(fs, '/f', 'user.pailfs.error')).toContain('a fault that was asked for');
    const handle = await openToEdit(fs, '/f');
    await expect(fs.fsync(handle)).rejects.toMatchObject({ code: 'EACCES' });
    await fs.fsync(handle);
    await fs.release(handle);
    expect(await xattr(fs, '/f', 'user.pailfs.state')).toBe('clean');
  },
);

describe('what was unlinked and is not deleted yet', () => {
  async function unlinked(): Promise<{ scene: FileSystemForTest; disk: DiskImage }> {
    const scene = await open();
    await scene.foreignWrite('f', 'old');
    await names(scene.fs, '/');
    scene.faults.add({ operation: 'deleteObject', times: Infinity, fault: { kind: 'reset' } });
    await scene.fs.unlink('/f');
    const disk = await diskNow(scene);
    scene.faults.clear();
    return { scene, disk };
  }

  it('is gone for the next mount at once, and is deleted by it [write-back/crash]', async () => {
    const { scene, disk } = await unlinked();

    const next = await mountOver(disk, scene, { settings });

    expect(await names(next.operations, '/')).toEqual([]);
    await drained(next);
    expect(await textOf(scene, 'f')).toBe('(none)');
  });

  it('stays when somebody else has replaced it since [write-back/crash] [write-back/version]', async () => {
    const { scene, disk } = await unlinked();
    await scene.foreignWrite('f', 'theirs');

    const next = await mountOver(disk, scene, { settings });

    await expect.poll(() => next.unsent.list()).toMatchObject([{ kind: 'delete', state: 'set aside' }]);
    expect(await textOf(scene, 'f')).toBe('theirs');
    expect(await names(next.operations, '/')).toEqual(['f']);
  });

  it('and was made anew is stored anew', async () => {
    const { scene } = await unlinked();
    await writeFile(scene.fs, '/f', 'anew');

    await settledOver(await diskNow(scene), scene);

    expect(await textOf(scene, 'f')).toBe('anew');
  });
});
