/** SEMANTICS: modes, owners and times at the next mount on this machine. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { KeptAttributes } from '../../src/content/journal/kept-attributes.ts';
import { openFileSystem, type MountedFileSystem } from '../../src/filesystem/open-file-system.ts';
import type { Attributes, FileSystemOperations } from '../../src/filesystem/operations.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import {
  closing,
  defaultSettings,
  names,
  openForTest,
  writeFile,
  type FileSystemForTest,
} from '../support/open-for-test.ts';
import { edit, openToRead, writeAt } from '../support/program-acts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const TTL = 10_000;
const SET = { mode: 0o600, uid: 1, gid: 2, atime: 3000.5, mtime: 4000.25 };
const DEFAULTS = { mode: 0o644, uid: 1000, gid: 1000 };

/** The mount ends, and another begins. */
async function remount(scene: FileSystemForTest): Promise<FileSystemOperations> {
  expect(await scene.mounted.close({ patience: 60_000 })).toEqual([]);
  const next = await mountOver({ directory: scene.stateDirectory }, scene);
  scene.asked();
  return next.operations;
}

/** What is kept in the state directory of a mount that has ended. */
async function rowsOf(scene: FileSystemForTest): Promise<{ files: string[]; folders: string[] }> {
  await scene.mounted.close({ patience: 60_000 });
  const place = { directory: scene.stateDirectory, clock: scene.clock, log: silentLog };
  const kept = await KeptAttributes.open(place);
  onTestFinished(() => kept.close());
  const files = [...(await kept.filesIn('/')).keys(), ...(await kept.filesIn('/d')).keys()];
  return { files, folders: [...(await kept.folders()).keys()] };
}

async function createWithMode(fs: FileSystemOperations, path: string, mode: number): Promise<void> {
  const handle = await fs.create(path, { read: true, write: true, truncate: false, exclusive: true, mode });
  await closing(fs, handle, () => writeAt(fs, handle, 'x'));
}

async function timeOf({ direct, bucket }: FileSystemForTest, key: string): Promise<number> {
  return (await direct.headObject(bucket, key)).lastModified.getTime();
}

describe('after a remount', () => {
  it('what a program set reads back, whether the name is looked up or listed, and costs no request of its own [attributes/remount]', async () => {
    const scene = await openForTest();
    const paths = ['/d/one', '/d/two'];
    for (const path of paths) await scene.foreignWrite(path.slice(1), 'x');
    for (const path of paths) await scene.fs.setAttributes(path, SET);

    const fs = await remount(scene);

    expect(await fs.getAttributes('/d/one')).toMatchObject(SET);
    expect(await names(fs, '/d')).toEqual(['one', 'two']);
    scene.asked();
    for (const path of paths) expect(await fs.getAttributes(path)).toMatchObject(SET);
    expect(scene.asked()).toEqual([]);
  });

  it('what another user has made is theirs [attributes/maker]', async () => {
    const scene = await openForTest();
    const maker = { uid: 33, gid: 44 };
    const intent = { read: false, write: true, truncate: false, exclusive: true, mode: 0o600, maker };
    await closing(scene.fs, await scene.fs.create('/f', intent), () => Promise.resolve());
    await scene.fs.mkdir('/d', 0o700, maker);

    const fs = await remount(scene);

    for (const path of ['/f', '/d']) expect(await fs.getAttributes(path)).toMatchObject(maker);
  });

  it('the mode and time of an own upload are as they were, though the service has named it since [attributes/own-upload]', async () => {
    const scene = await openForTest();
    await createWithMode(scene.fs, '/f', 0o750);
    const { mtime, ctime } = await scene.fs.getAttributes('/f');

    const fs = await remount(scene);

    expect(await fs.getAttributes('/f')).toMatchObject({ mode: 0o750, mtime, ctime });
  });

  it('so they are when only size and time tell that it is ours [attributes/own-upload]', async () => {
    const scene = await openForTest({ store: { behaviours: { etag: 'random' } } });
    await createWithMode(scene.fs, '/f', 0o750);
    await scene.fs.setAttributes('/f', SET);

    const fs = await remount(scene);

    expect(await fs.getAttributes('/f')).toMatchObject(SET);
  });

  it('a file of which nothing tells that it is ours has the time of the service [attributes/own-upload]', async () => {
    const scene = await openForTest({ store: { behaviours: { etag: 'random', date: 'missing' } } });
    await createWithMode(scene.fs, '/f', 0o750);

    const fs = await remount(scene);

    expect(await fs.getAttributes('/f')).toMatchObject({ ...DEFAULTS, mtime: await timeOf(scene, 'f') });
  });

  it('a rewrite of the same bytes has kept what was set with it [attributes/remount]', async () => {
    const scene = await openForTest();
    await writeFile(scene.fs, '/f', 'same');
    await names(scene.fs, '/');
    scene.clock.advance(1000);
    scene.asked();
    await writeFile(scene.fs, '/f', 'same');
    expect(scene.asked()).toEqual([]);
    const before = await scene.fs.getAttributes('/f');

    const fs = await remount(scene);

    expect(await fs.getAttributes('/f')).toMatchObject(timesOf(before));
  });

  it('edits, renames of the file and of its folder have taken them along [attributes/remount]', async () => {
    const scene = await openForTest();
    await scene.foreignWrite('a/f', 'base');
    await scene.fs.setAttributes('/a/f', SET);
    await scene.fs.setAttributes('/a', { mode: 0o700, mtime: 5000 });
    await edit(scene.fs, '/a/f', 'B', 0);
    await scene.fs.setAttributes('/a/f', { mtime: SET.mtime });
    await scene.fs.rename('/a/f', '/a/g', false);
    await scene.fs.setAttributes('/a', { mtime: 5000 });
    await scene.fs.rename('/a', '/b', false);

    const fs = await remount(scene);

    expect(await fs.getAttributes('/b/g')).toMatchObject(SET);
    expect(await fs.getAttributes('/b')).toMatchObject({ mode: 0o700, mtime: 5000 });
    await scene.foreignWrite('a/g', 'Base');
    scene.clock.advance(TTL);
    expect(await fs.getAttributes('/a/g')).toMatchObject(DEFAULTS);
    expect(await fs.getAttributes('/a')).toMatchObject({ mode: 0o755 });
  });

  it('a folder has the mode it was made with, and the times that own changes gave it, the top as well [attributes/remount]', async () => {
    const scene = await openForTest();
    await scene.fs.mkdir('/d', 0o700);
    scene.clock.advance(1000);
    await writeFile(scene.fs, '/d/f', 'x');
    await scene.fs.setAttributes('/', { mode: 0o711, mtime: 7000 });
    const before = await scene.fs.getAttributes('/d');
    scene.clock.advance(TTL);

    const fs = await remount(scene);

    expect(await fs.getAttributes('/d')).toMatchObject({ mode: 0o700, ...timesOf(before) });
    expect(await fs.getAttributes('/')).toMatchObject({ mode: 0o711, mtime: 7000 });
  });
});

describe('nothing is left of what was set', () => {
  it('on a file that somebody else replaced while nothing was mounted [attributes/remount]', async () => {
    const scene = await openForTest();
    await writeFile(scene.fs, '/f', 'ours');
    await scene.fs.setAttributes('/f', SET);
    await scene.mounted.close({ patience: 60_000 });
    await scene.foreignWrite('f', 'them');

    const fs = await remount(scene);

    expect(await fs.getAttributes('/f')).toMatchObject({ ...DEFAULTS, mtime: await timeOf(scene, 'f') });
  });

  it('when it was deleted here, and somebody else then stored the very same bytes [attributes/remount]', async () => {
    const scene = await openForTest();
    await writeFile(scene.fs, '/f', 'same');
    await scene.fs.setAttributes('/f', SET);
    await scene.fs.mkdir('/d', 0o700);
    await scene.fs.unlink('/f');
    await scene.fs.rmdir('/d');
    await scene.foreignWrite('f', 'same');
    await scene.foreignWrite('d/x', 'x');

    const fs = await remount(scene);

    expect(await fs.getAttributes('/f')).toMatchObject(DEFAULTS);
    expect(await fs.getAttributes('/d')).toMatchObject({ mode: 0o755 });
  });

  it('when a listing shows that the names are gone, nor are there rows [attributes/remount]', async () => {
    const scene = await openForTest();
    for (const path of ['/gone', '/stays']) await writeFile(scene.fs, path, 'x');
    await scene.fs.mkdir('/d', 0o700);
    await scene.direct.deleteObject(scene.bucket, 'gone');
    await scene.direct.deleteObject(scene.bucket, 'd/');
    scene.clock.advance(TTL);

    await names(scene.fs, '/');

    expect(await rowsOf(scene)).toEqual({ files: ['stays'], folders: ['/'] });
  });

  it.each([
    ['a folder and of those in it', ['/a', '/a/b']],
    ['those in a folder of which nothing was set', ['/a/b']],
  ])('of %s, when others removed it and made it again [attributes/remount]', async (_, set) => {
    const { fs, foreignWrite, direct, bucket, clock } = await openForTest();
    await foreignWrite('a/b/f', 'x');
    for (const path of set) await fs.setAttributes(path, { mode: 0o700 });
    await direct.deleteObject(bucket, 'a/b/f');
    clock.advance(TTL);
    expect(await names(fs, '/')).toEqual([]);

    await foreignWrite('a/b/f', 'x');

    clock.advance(TTL);
    expect(await names(fs, '/')).toEqual(['a']);
    for (const path of ['/a', '/a/b']) expect(await fs.getAttributes(path)).toMatchObject({ mode: 0o755 });
  });

  it('by who has a file open that somebody else has replaced since [attributes/remount]', async () => {
    const scene = await openForTest();
    await scene.foreignWrite('f', 'old');
    const handle = await openToRead(scene.fs, '/f');
    await scene.foreignWrite('f', 'newer');
    scene.clock.advance(TTL);
    await scene.fs.setAttributes('/f', { mode: 0o640 });

    await scene.fs.setAttributes('/f', { mode: 0o600 }, handle);
    await scene.fs.release(handle);

    expect((await scene.fs.getAttributes('/f')).mode).toBe(0o640);
    const fs = await remount(scene);
    expect((await fs.getAttributes('/f')).mode).toBe(0o640);
  });
});

describe('the machine is asked little', () => {
  it('a listing of many names reads what is kept of them at once, and nobody asks again [attributes/remount]', async () => {
    const scene = await openForTest();
    for (let mode = 0; mode < 50; mode += 1) await scene.foreignWrite(`d/${mode}`, 'x');
    for (let mode = 0; mode < 50; mode += 1) await scene.fs.setAttributes(`/d/${mode}`, { mode });
    const fs = await remount(scene);
    const [ofFile, filesIn] = (['ofFile', 'filesIn'] as const).map((method) =>
      vi.spyOn(KeptAttributes.prototype, method),
    );
    onTestFinished(() => {
      vi.restoreAllMocks();
    });

    const listed = await names(fs, '/d');
    const modes = await Promise.all(listed.map(async (name) => (await fs.getAttributes(`/d/${name}`)).mode));

    expect(modes).toEqual(listed.map(Number));
    // Of the folder itself nobody knew yet that it is none.
    expect(ofFile?.mock.calls).toEqual([['/d']]);
    expect(filesIn?.mock.calls.filter(([path]) => path === '/d')).toHaveLength(1);
  });
});

describe('two mounts of one bucket', () => {
  async function secondMount(scene: FileSystemForTest, adopted: string[] = []): Promise<MountedFileSystem> {
    const stateDirectory = await temporaryDirectory();
    const second = await openFileSystem({
      service: scene.service,
      bucket: await scene.direct.getBucket(scene.bucket),
      clock: scene.clock,
      log: silentLog,
      settings: defaultSettings(stateDirectory),
      adopted,
    });
    onTestFinished(async () => {
      await second.close({ patience: 60_000 });
    });
    return second;
  }

  it('each have their own [attributes/remount]', async () => {
    const scene = await openForTest();
    await scene.foreignWrite('f', 'x');
    await scene.fs.setAttributes('/f', SET);
    const { operations: other } = await secondMount(scene);

    expect(await other.getAttributes('/f')).toMatchObject(DEFAULTS);
    await other.setAttributes('/f', { mode: 0o666 });

    expect(await scene.fs.getAttributes('/f')).toMatchObject(SET);
    expect((await other.getAttributes('/f')).mode).toBe(0o666);
  });

  it('have set what the next one has, and of what both set the later [attributes/remount]', async () => {
    const scene = await openForTest();
    for (const key of ['mine', 'both']) await scene.foreignWrite(key, 'x');
    const { fs } = scene;
    await fs.setAttributes('/mine', SET);
    await fs.setAttributes('/both', SET);
    await scene.mounted.close({ patience: 60_000 });
    const copy = await diskNow(scene);
    scene.clock.advance(1);
    const again = await mountOver({ directory: scene.stateDirectory }, scene);
    await again.operations.setAttributes('/both', { mode: 0o666 });
    await again.close({ patience: 60_000 });

    const { operations: next } = await secondMount(scene, [copy.directory, scene.stateDirectory]);

    expect(await next.getAttributes('/mine')).toMatchObject(SET);
    expect(await next.getAttributes('/both')).toMatchObject({ ...SET, mode: 0o666 });
  });
});

function timesOf({ mtime, ctime }: Attributes): Pick<Attributes, 'mtime' | 'ctime'> {
  return { mtime, ctime };
}
