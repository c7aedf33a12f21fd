/** SEMANTICS: modes, owners and times after a kill of the mount, of files that are stored, wait, or are just written. */
import { expect, it } from 'vitest';
import type { MountedFileSystem } from '../../src/filesystem/open-file-system.ts';
import type { Attributes } from '../../src/filesystem/operations.ts';
import { diskNow, mountOver, type DiskImage } from '../support/after-a-crash.ts';
import { closing, openForTest, writeFile } from '../support/open-for-test.ts';
import { openToEdit, openToRewrite, writeAt } from '../support/program-acts.ts';

/** A kill loses what was set for so long, milliseconds. */
const MOMENT = 100;
const SET = { mode: 0o600, uid: 1, gid: 2, atime: 3000.5, mtime: 4000.25 };

it('a killed mount has kept what was set a moment before [attributes/remount]', async () => {
  const scene = await openForTest();
  await writeFile(scene.fs, '/f', 'x');
  await scene.fs.setAttributes('/f', SET);
  await scene.fs.setAttributes('/', { mode: 0o700 });

  // The moment is that of a write to the local disk that nobody waits for, and that waits for others.
  scene.clock.advance(MOMENT);
  const killed = async (): Promise<Attributes[]> => {
    const next = await mountOver(await diskNow(scene), scene);
    return Promise.all(['/f', '/'].map((path) => next.operations.getAttributes(path)));
  };

  await expect.poll(killed).toMatchObject([SET, { mode: 0o700 }]);
});

it('the mode and owner that are set on a file that waits, while a program writes it anew, are there after a kill, and stored with it; times are those of what is written [attributes/remount]', async () => {
  const scene = await openForTest({ settings: { writeBack: true } });
  scene.store.changeAccount({ gracePeriod: true });
  await writeFile(scene.fs, '/f', 'promised');
  const { mtime } = await scene.fs.getAttributes('/f');
  const handle = await openToEdit(scene.fs, '/f');
  await writeAt(scene.fs, handle, 'HALF');
  await scene.fs.setAttributes('/f', SET);
  scene.clock.advance(MOMENT);

  expect(await scene.fs.getAttributes('/f')).toMatchObject(SET);
  const shownOf = async (image: DiskImage): Promise<Attributes> =>
    (await mountOver(image, scene)).operations.getAttributes('/f');
  // Who compares times, as rsync and cp -u do, would take the old bytes for those that were being written.
  const left = { mode: SET.mode, uid: SET.uid, gid: SET.gid, mtime };
  await expect.poll(async () => shownOf(await diskNow(scene))).toMatchObject(left);
  const disk = await diskNow(scene);
  scene.store.changeAccount({ gracePeriod: false });
  expect(await (await mountOver(disk, scene)).close({ patience: 60_000 })).toEqual([]);

  expect(await shownOf(disk)).toMatchObject(left);
});

it.each([
  ['in place', openToEdit],
  ['anew from empty', openToRewrite],
] as const)(
  'the mode and owner that are set on a stored file, while a program writes it %s, are there after a kill; times are those of what is stored [attributes/remount]',
  async (_how, open) => {
    const scene = await openForTest();
    await scene.foreignWrite('f', 'stored');
    const { mtime } = await scene.fs.getAttributes('/f');
    const handle = await open(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'HALF');
    await scene.fs.setAttributes('/f', SET);
    expect(await scene.fs.getAttributes('/f')).toMatchObject(SET);
    scene.clock.advance(MOMENT);

    const killed = async (): Promise<Attributes> =>
      (await mountOver(await diskNow(scene), scene)).operations.getAttributes('/f');

    await expect.poll(killed).toMatchObject({ mode: SET.mode, uid: SET.uid, gid: SET.gid, mtime });
    await closing(scene.fs, handle, () => Promise.resolve());
    expect(await scene.mounted.close({ patience: 60_000 })).toEqual([]);
    const next = await mountOver({ directory: scene.stateDirectory }, scene);
    expect(await next.operations.getAttributes('/f')).toMatchObject(SET);
  },
);

it('what is set on a file that waits for the service is there after a kill, and stored with it [attributes/remount]', async () => {
  const scene = await openForTest();
  scene.store.changeAccount({ gracePeriod: true });
  await expect(writeFile(scene.fs, '/f', 'x')).rejects.toMatchObject({ code: 'EDQUOT' });
  scene.clock.advance(1);
  await scene.fs.setAttributes('/f', SET);
  scene.clock.advance(MOMENT);
  const killed = async (): Promise<MountedFileSystem> => mountOver(await diskNow(scene), scene);
  await expect.poll(async () => (await killed()).operations.getAttributes('/f')).toMatchObject(SET);
  const disk = await diskNow(scene);
  scene.store.changeAccount({ gracePeriod: false });

  const next = await mountOver(disk, scene);
  expect(await next.close({ patience: 60_000 })).toEqual([]);

  const last = await mountOver(disk, scene);
  expect(await last.operations.getAttributes('/f')).toMatchObject(SET);
});

it('of what is set twice on a file that waits the later counts, also when only its rename has brought that to the disk [attributes/remount]', async () => {
  const scene = await openForTest();
  const { fs, clock, store } = scene;
  store.changeAccount({ gracePeriod: true });
  await expect(writeFile(fs, '/f', 'x')).rejects.toMatchObject({ code: 'EDQUOT' });
  clock.advance(1);
  await fs.setAttributes('/f', { mode: 0o644 });
  clock.advance(MOMENT);
  const shown = async (path: string): Promise<Attributes> =>
    (await mountOver(await diskNow(scene), scene)).operations.getAttributes(path);
  await expect.poll(() => shown('/f')).toMatchObject({ mode: 0o644 });

  await fs.setAttributes('/f', SET);
  await fs.rename('/f', '/g', false);

  expect(await shown('/g')).toMatchObject(SET);
});
