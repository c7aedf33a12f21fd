/**
 * SEMANTICS: a program has a file open that others have deleted, and another is renamed to its name. That name is free until the program
 * writes; nothing that it has closed is lost then, and nothing that it writes later is stored over the other.
 */
import { expect, it } from 'vitest';
import type { FileHandle } from '../../src/filesystem/operations.ts';
import { diskNow } from '../support/after-a-crash.ts';
import { diskAtDelete } from '../support/disk-at-delete.ts';
import { drained } from '../support/drained.ts';
import { heldRequests } from '../support/held-requests.ts';
import { holdNext } from '../support/hold-next.ts';
import {
  names,
  openForTest,
  readFile,
  writeFile,
  type FileSystemForTest,
  type TestOptions,
} from '../support/open-for-test.ts';
import { errnoOfCall, openToEdit, writeAt } from '../support/program-acts.ts';
import { goneOn } from '../support/public-file.ts';
import { textsOf } from '../support/stored-state.ts';

/** Longer than names are trusted. */
const LATER = 11_000;

/** /e/x is open, and was deleted by others, which the mount knows; so /e is free. /d/x is there. */
async function openedAndDeleted(
  options: TestOptions = {},
): Promise<{ scene: FileSystemForTest; handle: FileHandle }> {
  const scene = await openForTest(options);
  const { fs, foreignWrite, direct, bucket, clock } = scene;
  await foreignWrite('d/x', 'of the folder');
  await foreignWrite('e/x', 'open');
  await names(fs, '/e');
  const handle = await openToEdit(fs, '/e/x');
  await direct.deleteObject(bucket, 'e/x');
  clock.advance(LATER);
  expect(await names(fs, '/')).toEqual(['d']);
  return { scene, handle };
}

/** The program writes its file anew, and closes it. Resolves with the error of the close. */
async function rewritten({ fs }: FileSystemForTest, path: string, handle: FileHandle): Promise<string> {
  await fs.truncate(path, 0, handle);
  await writeAt(fs, handle, 'accepted');
  const code = await errnoOfCall(fs.flush(handle));
  await fs.release(handle);
  return code;
}

it.each([false, true])(
  'what it writes after a rename of a folder that failed is stored (write-back %s) [rename/undo]',
  async (writeBack) => {
    const { scene, handle } = await openedAndDeleted({ settings: { writeBack } });
    scene.faults.add({ operation: 'putObject', key: 'e/x', fault: { kind: 'status', status: 403 } });
    expect(await errnoOfCall(scene.fs.rename('/d', '/e', false))).toBe('EACCES');

    expect(await rewritten(scene, '/e/x', handle)).toBe('none');

    await drained(scene.mounted);
    expect(await textsOf(scene)).toEqual({ 'd/x': 'of the folder', 'e/x': 'accepted' });
  },
);

it('so is what it writes when the rename had moved its file before it failed [rename/undo]', async () => {
  const { scene, handle } = await openedAndDeleted();
  scene.faults.add({
    operation: 'deleteObject',
    key: 'd/',
    times: Infinity,
    fault: { kind: 'status', status: 403 },
  });
  await scene.direct.createFolder(scene.bucket, 'd');
  expect(await errnoOfCall(scene.fs.rename('/d', '/e', false))).toBe('EACCES');

  expect(await rewritten(scene, '/e/x', handle)).toBe('none');

  expect(await textsOf(scene)).toEqual({ 'd/x': 'of the folder', 'e/x': 'accepted' });
});

it.each([false, true])(
  'what it writes after a rename of a folder is its own, as of a file that was deleted (write-back %s) [rename/handles]',
  async (writeBack) => {
    const { scene, handle } = await openedAndDeleted({ settings: { writeBack } });
    await scene.fs.rename('/d', '/e', false);

    expect(await rewritten(scene, '/e/x', handle)).toBe('none');

    await drained(scene.mounted);
    expect(await textsOf(scene)).toEqual({ 'e/x': 'of the folder' });
    expect(await scene.mounted.unsent.list()).toEqual([]);
  },
);

it('a folder is not renamed to where it has just written: nothing is lost (with write-back) [rename/folders]', async () => {
  const making = heldRequests('createFolder');
  const { scene, handle } = await openedAndDeleted({
    settings: { writeBack: true },
    between: making.between,
  });
  const renamed = errnoOfCall(scene.fs.rename('/d', '/e', false));
  await making.begun;
  expect(await rewritten(scene, '/e/x', handle)).toBe('none');
  making.letGo();

  expect(await renamed).toBe('ENOTEMPTY');

  await drained(scene.mounted);
  expect(await textsOf(scene)).toEqual({ 'd/x': 'of the folder', 'e/x': 'accepted' });
});

it('what it closes while the rename of a draft looks whether the name is free is replaced by that [rename/draft]', async () => {
  const scene = await openForTest({ settings: { writeBack: true } });
  const { fs, clock, mounted, store } = scene;
  await scene.foreignWrite('g', 'open');
  await names(fs, '/');
  const handle = await openToEdit(fs, '/g');
  await scene.direct.deleteObject(scene.bucket, 'g');
  store.changeAccount({ gracePeriod: true });
  await writeFile(fs, '/new', 'renamed');
  clock.advance(LATER);
  const look = holdNext(scene.service, 'listObjects');
  const renamed = errnoOfCall(fs.rename('/new', '/g', false));
  await look.begun;
  expect(await rewritten(scene, '/g', handle)).toBe('none');
  look.letGo();

  expect(await renamed).toBe('none');

  expect((await mounted.unsent.list()).map(({ path, bytes }) => [path, bytes])).toEqual([['/g', 7]]);
  expect((await readFile(fs, '/g')).toString()).toBe('renamed');
  store.changeAccount({ gracePeriod: false });
  await drained(mounted);
  clock.advance(LATER);
  await mounted.close({ patience: 1000 });
  expect(await textsOf(scene)).toEqual({ g: 'renamed' });
});

it.each([false, true])(
  'what it closes while the renamed file is being stored is not stored over that (write-back %s) [rename/handles]',
  async (writeBack) => {
    const { scene, handle } = await openedAndDeleted({ settings: { writeBack } });
    await scene.fs.mkdir('/e', 0o755);
    const copy = holdNext(scene.service, 'putObject');
    const renamed = errnoOfCall(scene.fs.rename('/d/x', '/e/x', false));
    await copy.begun;
    const closed = rewritten(scene, '/e/x', handle);
    if (writeBack) await closed;
    copy.letGo();

    expect(await renamed).toBe('none');

    expect(await closed).toBe('none');
    await drained(scene.mounted);
    expect(await textsOf(scene)).toEqual({ 'e/x': 'of the folder' });
    expect(await scene.mounted.unsent.list()).toEqual([]);
  },
);

it('a kill in the rename of a folder brings back nothing that it closed while its file was copied [rename/crash]', async () => {
  const killed = diskAtDelete();
  const { scene, handle } = await openedAndDeleted({
    settings: { writeBack: true },
    between: killed.between,
  });
  const copy = holdNext(scene.service, 'putObject');
  killed.await(scene);
  const renamed = errnoOfCall(scene.fs.rename('/d', '/e', false));
  await copy.begun;
  await rewritten(scene, '/e/x', handle);
  copy.letGo();
  expect(await renamed).toBe('none');

  await goneOn(killed.taken(), scene, { writeBack: true });

  expect(await textsOf(scene)).toEqual({ 'e/x': 'of the folder' });
});

it.each([true, false])(
  'what it closes after the rename of a folder failed at its end survives a kill; closed in its midst: %s [rename/undo]',
  async (isInMidst) => {
    const { scene, handle } = await openedAndDeleted({ settings: { writeBack: true } });
    const { fs, direct, bucket, faults } = scene;
    await direct.createFolder(bucket, 'd');
    faults.add({
      operation: 'deleteObject',
      key: 'd/',
      times: Infinity,
      fault: { kind: 'status', status: 403 },
    });
    const copy = holdNext(scene.service, 'putObject');
    const renamed = errnoOfCall(fs.rename('/d', '/e', false));
    await copy.begun;
    if (isInMidst) await rewritten(scene, '/e/x', handle);
    copy.letGo();
    expect(await renamed).toBe('EACCES');
    faults.clear();
    if (!isInMidst) await rewritten(scene, '/e/x', handle);

    await goneOn(await diskNow(scene), scene, { writeBack: true });

    expect(Object.values(await textsOf(scene)).sort()).toEqual(['accepted', 'of the folder']);
  },
);
