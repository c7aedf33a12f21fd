/**
 * SEMANTICS: a file is renamed over another, and its last step fails, or the mount is killed: whatever was stored, promised or is written
 * of either is kept, and nothing private becomes public.
 */
import { expect, it } from 'vitest';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { diskNow } from '../support/after-a-crash.ts';
import { diskAtDelete } from '../support/disk-at-delete.ts';
import { drained } from '../support/drained.ts';
import { holdNext } from '../support/hold-next.ts';
import {
  names,
  openForTest,
  writeFile,
  type FileSystemForTest,
  type TestOptions,
} from '../support/open-for-test.ts';
import { edit, errnoOfCall, openToEdit, openToRewrite, textAt, writeAt } from '../support/program-acts.ts';
import { goneOn, withPublicFile } from '../support/public-file.ts';
import { storedIn, textsOf, visibilityOf } from '../support/stored-state.ts';

const writeBack = { writeBack: true };
const REFUSED = { kind: 'status', status: 403 } as const;

/** /f is stored, and public; of /g `promised` waits, which the service refused for a while. */
async function withWaitingTarget(options: TestOptions): Promise<FileSystemForTest> {
  const scene = await openForTest(options);
  const { fs, clock, mounted, store } = scene;
  await scene.foreignWrite('f', 'source');
  await scene.direct.setVisibility(scene.bucket, 'f', 'public');
  await names(fs, '/');
  clock.advance(2000);
  store.changeAccount({ gracePeriod: true });
  await writeFile(fs, '/g', 'promised').catch(() => undefined);
  clock.advance(200);
  await expect.poll(async () => (await mounted.unsent.list()).map(({ state }) => state)).toEqual(['failed']);
  store.changeAccount({ gracePeriod: false });
  return scene;
}

async function keyOf(scene: FileSystemForTest, isBeside: boolean): Promise<string> {
  const beside = Object.keys(await textsOf(scene)).find((key) => key.includes(' (conflict'));
  return isBeside ? (beside ?? '') : 'g';
}

it.each([
  { step: 'the DELETE', isWriteBack: true },
  { step: 'the DELETE', isWriteBack: false },
  { step: 'the link', isWriteBack: true },
  { step: 'the link', isWriteBack: false },
])(
  'what waits under the new name is stored when $step is refused, and private (write-back $isWriteBack) [rename/undo]',
  async ({ step, isWriteBack }) => {
    const scene = await withWaitingTarget({ settings: { writeBack: isWriteBack } });
    const { fs, mounted, faults } = scene;
    if (step === 'the link') faults.add({ operation: 'setVisibility', fault: REFUSED });
    else faults.add({ operation: 'deleteObject', key: 'f', fault: REFUSED });

    expect(await errnoOfCall(fs.rename('/f', '/g', false))).toBe('EACCES');

    const disk = await diskNow(scene);
    await drained(mounted);
    // Beside the copy, which could be the only one.
    const isBeside = step === 'the DELETE';
    const all = isBeside ? { f: 'source', g: 'source', beside: 'promised' } : { f: 'source', g: 'promised' };
    expect(await storedIn(scene)).toEqual(all);
    expect(await visibilityOf(scene, await keyOf(scene, isBeside))).toBe('private');
    await scene.direct.deleteObject(scene.bucket, await keyOf(scene, isBeside));
    await goneOn(disk, scene, writeBack);
    expect(Object.values(await textsOf(scene))).toContain('promised');
    expect(await visibilityOf(scene, await keyOf(scene, isBeside))).toBe('private');
    expect((await mounted.unsent.list()).filter(({ kind }) => kind === 'upload')).toEqual([]);
  },
);

it.each([true, false])(
  'what waits there is not stored over the copy when nobody can tell whether the old file is gone (write-back %s) [rename/undo]',
  async (isWriteBack) => {
    const scene = await withWaitingTarget({ settings: { writeBack: isWriteBack } });
    const { fs, faults, mounted, service } = scene;
    faults.add({ operation: 'deleteObject', key: 'f', times: Infinity, fault: { kind: 'lost-answer' } });
    const remove = service.deleteObject.bind(service);
    service.deleteObject = (...call) => {
      faults.add({
        operation: 'headObject',
        key: 'f',
        times: Infinity,
        fault: { kind: 'status', status: 503 },
      });
      return remove(...call);
    };

    expect(await errnoOfCall(fs.rename('/f', '/g', false))).toBe('EIO');

    faults.clear();
    await drained(mounted);
    await mounted.close({ patience: 1000 });
    expect(await storedIn(scene)).toEqual({ g: 'source', beside: 'promised' });
  },
);

it.each(['goes on', 'is killed'])(
  'an edit of a public file, which nobody knows to be stored, takes the place of a copy that could not be made public, and its link back, when the mount %s [rename/undo] [visibility/preserve]',
  async (end) => {
    const scene = await withPublicFile();
    const { fs, faults, mounted } = scene;
    faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'lost-answer' } });
    expect(await errnoOfCall(edit(fs, '/f', 'N', 0))).toBe('EIO');
    faults.clear();
    await writeFile(fs, '/t', 'other');
    faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 429 } });

    expect(await errnoOfCall(fs.rename('/t', '/f', false))).toBe('EIO');

    faults.clear();
    if (end === 'goes on') await drained(mounted);
    else await goneOn(await diskNow(scene), scene);
    expect(await textsOf(scene)).toEqual({ f: 'Nld', t: 'other' });
    expect(await visibilityOf(scene, 'f')).toBe('public');
    expect(await visibilityOf(scene, 't')).toBe('private');
  },
);

it.each([
  ['an edit', (fs: FileSystemOperations) => edit(fs, '/f', 'N', 0), 'Nld'],
  ['a rewrite', (fs: FileSystemOperations) => writeFile(fs, '/f', 'new'), 'new'],
] as const)(
  '%s of a public file that waits has its link back when another public file could not be renamed over it [rename/undo] [visibility/preserve]',
  async (_, write, text) => {
    const scene = await withPublicFile();
    const { fs, faults, direct, bucket, mounted, store } = scene;
    await scene.foreignWrite('t', 'other');
    await direct.setVisibility(bucket, 't', 'public');
    store.changeAccount({ gracePeriod: true });
    expect(await errnoOfCall(write(fs))).toBe('EDQUOT');
    store.changeAccount({ gracePeriod: false });
    faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 429 } });

    expect(await errnoOfCall(fs.rename('/t', '/f', false))).toBe('EIO');

    faults.clear();
    await drained(mounted);
    expect(await textsOf(scene)).toEqual({ f: text, t: 'other' });
    expect(await visibilityOf(scene, 'f')).toBe('public');
  },
);

it('what a program is writing there is stored beside by its close [rename/undo]', async () => {
  const scene = await openForTest();
  const { fs, faults, direct, bucket, mounted } = scene;
  await scene.foreignWrite('f', 'source');
  await direct.setVisibility(bucket, 'f', 'public');
  await scene.foreignWrite('g', 'target');
  await names(fs, '/');
  const handle = await openToEdit(fs, '/g');
  await writeAt(fs, handle, 'TAR');
  faults.add({ operation: 'deleteObject', key: 'f', fault: REFUSED });

  expect(await errnoOfCall(fs.rename('/f', '/g', false))).toBe('EACCES');

  expect(await textAt(fs, handle)).toBe('TARget');
  expect(await errnoOfCall(fs.flush(handle))).toBe('none');
  await fs.release(handle);
  await mounted.close({ patience: 1000 });
  expect(await storedIn(scene)).toEqual({ f: 'source', g: 'source', beside: 'TARget' });
});

it.each([true, false])(
  'what a program that has it open writes anew afterwards is stored by its close (write-back %s) [rename/undo]',
  async (isWriteBack) => {
    const scene = await openForTest({ settings: { writeBack: isWriteBack } });
    const { fs, faults } = scene;
    await scene.foreignWrite('f', 'source');
    await scene.foreignWrite('g', 'target');
    await names(fs, '/');
    const handle = await openToEdit(fs, '/g');
    faults.add({ operation: 'deleteObject', key: 'f', fault: REFUSED });
    expect(await errnoOfCall(fs.rename('/f', '/g', false))).toBe('EACCES');

    await fs.truncate('/g', 0, handle);
    await writeAt(fs, handle, 'accepted');
    expect(await errnoOfCall(fs.flush(handle))).toBe('none');

    await fs.release(handle);
    await drained(scene.mounted);
    expect(Object.values(await storedIn(scene))).toContain('accepted');
    expect((await textsOf(scene))['f']).toBe('source');
  },
);

it('a kill after the DELETE brings back nothing that was closed while the copy went up [rename/crash]', async () => {
  const killed = diskAtDelete();
  const scene = await openForTest({ settings: writeBack, between: killed.between });
  const { fs } = scene;
  await scene.foreignWrite('f', 'source');
  await scene.foreignWrite('g', 'target');
  await names(fs, '/');
  const handle = await openToRewrite(fs, '/g');
  const copy = holdNext(scene.service, 'putObject');
  killed.await(scene);
  const renamed = errnoOfCall(fs.rename('/f', '/g', false));
  await copy.begun;
  await writeAt(fs, handle, 'accepted');
  await fs.flush(handle);
  await fs.release(handle);
  copy.letGo();
  expect(await renamed).toBe('none');

  await goneOn(killed.taken(), scene, writeBack);

  expect(await textsOf(scene)).toEqual({ g: 'source' });
});

it('a kill after the DELETE brings nothing back over what others store then [rename/crash]', async () => {
  const killed = diskAtDelete();
  const scene = await withWaitingTarget({ settings: writeBack, between: killed.between });
  killed.await(scene);
  expect(await errnoOfCall(scene.fs.rename('/f', '/g', false))).toBe('none');
  await scene.foreignWrite('g', 'theirs');

  await goneOn(killed.taken(), scene, writeBack);

  expect(await textsOf(scene)).toEqual({ g: 'theirs' });
});

it('what waits under the new name goes up by itself, also when its turn came while it had no name [rename/undo]', async () => {
  const scene = await withWaitingTarget({ settings: writeBack });
  const { fs, service, faults, clock } = scene;
  const deleting = holdNext(service, 'deleteObject');
  faults.add({ operation: 'deleteObject', key: 'f', fault: REFUSED });
  const renamed = errnoOfCall(fs.rename('/f', '/g', false));
  await deleting.begun;
  clock.advance(600_000);
  await new Promise((resolve) => setTimeout(resolve, 100));
  deleting.letGo();

  expect(await renamed).toBe('EACCES');

  await expect.poll(() => storedIn(scene)).toEqual({ f: 'source', g: 'source', beside: 'promised' });
});
