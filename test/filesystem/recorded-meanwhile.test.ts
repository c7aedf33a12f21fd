/**
 * SEMANTICS: while what the next mount must know is on its way to the local disk, or just before it goes there, a program or the end of
 * the mount changes something else of the same file; then the mount is killed.
 */
import { expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { heldRequests } from '../support/held-requests.ts';
import { disksAtEachCommit, holdCommit } from '../support/journal-commits.ts';
import { names, openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import {
  edit,
  openToEdit,
  openToRead,
  openToRewrite,
  setXattr,
  textAt,
  writeAt,
} from '../support/program-acts.ts';
import { goneOn, silentUploads, stateOf, store, withPublicFile } from '../support/public-file.ts';
import { signal } from '../support/signal.ts';
import { textOf, textOfConflictCopy } from '../support/stored-state.ts';

/** As long as any waiting that is to be seen takes, milliseconds: a change that does not wait has ended then. */
const MOMENT = 100;

const aMoment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, MOMENT));

/** /f is `Old` for its program, and on its way. */
async function beginUpload(scene: FileSystemForTest, writeBack: boolean): Promise<void> {
  const closed = edit(scene.fs, '/f', 'O', 0).catch(() => undefined);
  if (!writeBack) return;
  await closed;
  store(scene);
}

it('a type set while the record of an upload is being made costs no link [write-back/crash] [crash/link]', async () => {
  const { isMade, between } = silentUploads();
  const scene = await withPublicFile({ settings: { writeBack: true }, between });
  await openToRead(scene.fs, '/f');
  const record = holdCommit('"uploading"', '"visibilityBefore":"public"');
  await beginUpload(scene, true);
  await record.made;
  const typed = setXattr(scene.fs, '/f', 'user.mime_type', 'text/x-note');
  await aMoment();
  record.letGo();
  await Promise.all([typed, isMade]);

  expect(await goneOn(await diskNow(scene), scene, { writeBack: true })).toEqual([]);

  expect(await stateOf(scene)).toEqual(['Old', 'public']);
  expect((await scene.direct.headObject(scene.bucket, 'f')).contentType).toBe('text/x-note');
});

it.each([true, false])(
  'an unmount that gives up while the record of an upload is being made costs no link, with write-back %s [crash/link]',
  async (writeBack) => {
    const { isMade, between } = silentUploads();
    const scene = await withPublicFile({ settings: { writeBack }, between });
    const record = holdCommit('"uploading"', '"visibilityBefore":"public"');
    await beginUpload(scene, writeBack);
    await record.made;
    const ended = scene.mounted.close({ patience: 1 });
    await aMoment();
    record.letGo();
    await Promise.race([isMade, ended]);
    await ended;

    expect(await goneOn(await diskNow(scene), scene, { writeBack })).toEqual([]);

    expect(await stateOf(scene)).toEqual(['Old', 'public']);
  },
);

it.each([true, false])(
  'what others store while the record of an upload is being made stays, and the edit beside it, with write-back %s [conflict/keep-both]',
  async (writeBack) => {
    const scene = await withPublicFile({ settings: { writeBack } });
    const record = holdCommit('"uploading"', '"visibilityBefore":"public"');
    await beginUpload(scene, writeBack);
    await record.made;
    await scene.foreignWrite('f', 'theirs');
    record.letGo();

    await expect.poll(() => textOfConflictCopy(scene)).toBe('Old');
    expect(await stateOf(scene)).toEqual(['theirs', 'private']);
  },
);

it('so it is after a kill just then [conflict/keep-both]', async () => {
  const scene = await withPublicFile({ settings: { writeBack: true } });
  const record = holdCommit('"uploading"', '"visibilityBefore":"public"');
  await beginUpload(scene, true);
  await record.made;
  const disk = await diskNow(scene);
  await scene.foreignWrite('f', 'theirs');

  expect(await goneOn(disk, scene, { writeBack: true })).toEqual([]);

  expect(await textOfConflictCopy(scene)).toBe('Old');
  expect(await stateOf(scene)).toEqual(['theirs', 'private']);
});

it.each([true, false])(
  'an upload that still asks how visible its file is does not begin after the mount, with write-back %s [crash/link]',
  async (writeBack) => {
    const question = heldRequests('getVisibility');
    const scene = await withPublicFile({ settings: { writeBack }, between: question.between });
    await beginUpload(scene, writeBack);
    await question.begun;
    await scene.mounted.close({ patience: 1 });
    question.letGo();
    await aMoment();
    expect(await stateOf(scene)).toEqual(['old', 'public']);

    expect(await goneOn(await diskNow(scene), scene, { writeBack })).toEqual([]);

    expect(await stateOf(scene)).toEqual(['Old', 'public']);
  },
);

it('what a program writes while the record of what is stored is being made is kept, half as it is [crash/half]', async () => {
  const settings = { writeBack: true };
  const scene = await openForTest({ settings });
  const { fs } = scene;
  await scene.foreignWrite('f', 'old');
  scene.faults.add({ operation: 'deleteObject', times: Infinity, fault: { kind: 'reset' } });
  await fs.unlink('/f');
  const handle = await openToRewrite(fs, '/f');
  await writeAt(fs, handle, 'new');
  // Of what was to be deleted: made before that of the upload.
  const record = holdCommit('del deletion/');
  const synced = fs.fsync(handle);
  await record.made;
  const written = writeAt(fs, handle, 'NEWER');
  await aMoment();
  record.letGo();
  await Promise.all([written, synced]);
  scene.faults.clear();

  const next = await mountOver(await diskNow(scene), scene, { settings });
  await drained(next);

  expect(await textOf(scene, 'f')).toBe('new');
  expect(await next.unsent.list()).toMatchObject([{ path: '/f', bytes: 5, state: 'set aside' }]);
});

it('a close of a file that a rename replaces just then brings nothing of it back [write-back/crash]', async () => {
  const settings = { writeBack: true };
  const disk = new FailingDisk();
  const scene = await openForTest({ settings, localFiles: disk });
  const { fs } = scene;
  await writeFile(fs, '/s', 'new');
  const handle = await openToEdit(fs, '/s');
  await fs.flush(handle);
  const target = await openToRewrite(fs, '/t');
  await writeAt(fs, target, 'replaced');
  const synced = signal();
  const goOn = signal();
  disk.afterSync = () => {
    disk.afterSync = () => Promise.resolve();
    synced.give();
    return goOn.given;
  };
  const closed = fs.flush(target);
  await synced.given;
  const renamed = fs.rename('/s', '/t', false);
  const hadEnded = await Promise.race([renamed.then(() => true), aMoment().then(() => false)]);
  const disks = await disksAtEachCommit(scene, async () => {
    goOn.give();
    await closed;
  });
  await renamed;

  for (const each of hadEnded ? disks : [await diskNow(scene)]) {
    const next = await mountOver(each, scene, { settings });
    expect(await names(next.operations, '/')).toEqual(['t']);
    expect(await next.unsent.list()).toMatchObject([{ path: '/t', bytes: 3 }]);
    await next.close({ patience: 0 });
  }
});

it('a file that is removed while a program begins to write over what its close has promised leaves nothing [unlink/open] [write-back/crash]', async () => {
  const settings = { writeBack: true };
  const disk = new FailingDisk();
  const scene = await openForTest({ settings, localFiles: disk });
  const { fs } = scene;
  await writeFile(fs, '/f', 'promised');
  const handle = await openToEdit(fs, '/f');
  const [copying, goOn] = [signal(), signal()];
  disk.beforeWrite = async (bytes) => {
    if (bytes !== 'promised'.length) return;
    copying.give();
    await goOn.given;
  };
  const written = writeAt(fs, handle, 'PRO');
  await copying.given;
  const record = holdCommit('"stored"');
  const removed = fs.unlink('/f');
  await record.made;
  goOn.give();
  await aMoment();
  record.letGo();
  await Promise.all([written, removed]);
  expect(await textAt(fs, handle)).toBe('PROmised');

  const next = await mountOver(await diskNow(scene), scene, { settings });

  expect(await next.unsent.list()).toEqual([]);
});

it('a mode set while the first record of a file is being made is there after a kill [attributes/remount]', async () => {
  const settings = { writeBack: true };
  const upload = heldRequests('putObject');
  const scene = await openForTest({ settings, between: upload.between });
  const { fs } = scene;
  const handle = await openToRewrite(fs, '/f');
  await writeAt(fs, handle, 'x');
  const record = holdCommit('"queued"');
  const closed = fs.flush(handle);
  await record.made;
  await fs.setAttributes('/f', { mode: 0o600 });
  record.letGo();
  await closed;
  // Programs do not wait for the local disk: a kill may lose what was set in the last moment.
  scene.clock.advance(MOMENT);
  await aMoment();

  const next = await mountOver(await diskNow(scene), scene, { settings });

  expect(await next.operations.getAttributes('/f')).toMatchObject({ mode: 0o600 });
  upload.letGo();
});
