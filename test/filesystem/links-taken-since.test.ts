/**
 * SEMANTICS: a mount is killed that owed a public file its link; somebody else has made the file private since, or replaced or deleted
 * it. What the next mount stores then is private, and stays so when that is killed, too.
 */
import { expect, it, vi } from 'vitest';
import { diskNow, mountOver, type DiskImage } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { holdNext } from '../support/hold-next.ts';
import { refuseCommits } from '../support/journal-commits.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { edit, LogForTest, openToRewrite, writeAt } from '../support/program-acts.ts';
import { goneOn, silentUploads, stateOf, store, withPublicFile } from '../support/public-file.ts';
import { signal } from '../support/signal.ts';
import { textOf } from '../support/stored-state.ts';

const settings = { writeBack: true };

/** What is on the disk once a mount over `disk` has stored what it found, and has not heard of it. */
async function killedAgain(disk: DiskImage, scene: FileSystemForTest): Promise<DiskImage> {
  const { isMade, between } = silentUploads();
  const mounted = await mountOver(disk, { ...scene, service: between(scene.direct) }, { settings });
  store({ mounted });
  await isMade;
  return diskNow({ stateDirectory: disk.directory });
}

const replacedByOthers = (scene: FileSystemForTest): Promise<void> => scene.foreignWrite('f', 'theirs');
const deletedByOthers = async ({ direct, bucket }: FileSystemForTest): Promise<void> => {
  await direct.deleteObject(bucket, 'f');
};

it.each([
  { happens: 'replaced', change: replacedByOthers },
  { happens: 'deleted', change: deletedByOthers },
])(
  'what was written anew, and $happens by others, stays private after a second kill [crash/link]',
  async ({ change }) => {
    const { isMade, between } = silentUploads();
    const scene = await withPublicFile({ settings, between });
    await writeFile(scene.fs, '/f', 'new');
    store(scene);
    await isMade;
    const disk = await diskNow(scene);
    await change(scene);

    const again = await killedAgain(disk, scene);
    expect(await stateOf(scene)).toEqual(['new', 'private']);
    expect(await goneOn(again, scene, settings)).toEqual([]);

    expect(await stateOf(scene)).toEqual(['new', 'private']);
  },
);

it('a link that was owed, of a file that others have replaced, does not come back with newer bytes after a second kill [crash/link]', async () => {
  const asked = signal();
  const scene = await withPublicFile({
    settings,
    between: (service) =>
      new InterceptedService(service, async (call, proceed) => {
        if (call.operation !== 'setVisibility') return proceed();
        asked.give();
        return new Promise<never>(() => undefined);
      }),
  });
  await writeFile(scene.fs, '/f', 'new');
  store(scene);
  await asked.given;
  await writeFile(scene.fs, '/f', 'newer');
  const disk = await diskNow(scene);
  await replacedByOthers(scene);

  const again = await killedAgain(disk, scene);
  expect(await stateOf(scene)).toEqual(['newer', 'private']);
  expect(await goneOn(again, scene, settings)).toEqual([]);

  expect(await stateOf(scene)).toEqual(['newer', 'private']);
});

/** `newer` waits behind `new`, whose upload has ended since; as the record of `newer` was made while that was under way. */
async function withNewerWaiting(): Promise<FileSystemForTest> {
  const scene = await withPublicFile({ settings });
  const { fs, service } = scene;
  const handle = await openToRewrite(fs, '/f');
  await writeAt(fs, handle, 'new');
  const upload = holdNext(service, 'putObject');
  const synced = fs.fsync(handle);
  await upload.begun;
  await writeAt(fs, handle, 'newer');
  await fs.flush(handle);
  upload.letGo();
  await synced;
  expect(await stateOf(scene)).toEqual(['new', 'public']);
  return scene;
}

it('what waits behind an upload of a public file is private when others have made that private meanwhile [crash/link]', async () => {
  const scene = await withNewerWaiting();
  const { direct, bucket, clock, service } = scene;
  await direct.setVisibility(bucket, 'f', 'private');
  const killedBefore = await diskNow(scene);
  clock.advance(60_000);
  const { isMade, between } = silentUploads();
  const silent = between(direct);
  vi.spyOn(service, 'putObject').mockImplementation((...call) => silent.putObject(...call));
  store(scene);
  await isMade;
  expect(await stateOf(scene)).toEqual(['newer', 'private']);
  expect(await goneOn(await diskNow(scene), scene, settings)).toEqual([]);
  expect(await stateOf(scene)).toEqual(['newer', 'private']);

  await scene.foreignWrite('f', 'new');
  expect(await goneOn(killedBefore, scene, settings)).toEqual([]);

  expect(await stateOf(scene)).toEqual(['newer', 'private']);
});

it('what waits behind an upload is as public as others have made that meanwhile [crash/link]', async () => {
  const scene = await withNewerWaiting();

  expect(await goneOn(await diskNow(scene), scene, settings)).toEqual([]);

  expect(await stateOf(scene)).toEqual(['newer', 'public']);
});

it('a close that takes the place of what is about to go up private promises no link either [crash/link]', async () => {
  const { isMade, between } = silentUploads();
  const scene = await withPublicFile({ settings, between });
  await writeFile(scene.fs, '/f', 'new');
  store(scene);
  await isMade;
  const disk = await diskNow(scene);
  await deletedByOthers(scene);
  const silent = silentUploads();
  const service = silent.between(scene.direct);
  const look = holdNext(service, 'headObject');
  const mounted = await mountOver(disk, { ...scene, service }, { settings });
  store({ mounted });
  await look.begun;
  await writeFile(mounted.operations, '/f', 'newer');
  look.letGo();
  await silent.isMade;
  expect(await stateOf(scene)).toEqual(['new', 'private']);

  expect(await goneOn(await diskNow({ stateDirectory: disk.directory }), scene, settings)).toEqual([]);

  expect(await stateOf(scene)).toEqual(['newer', 'private']);
});

it.each([true, false])(
  'what never came is stored private when others have made the file private since, with write-back %s [crash/link]',
  async (writeBack) => {
    const { isMade, between } = silentUploads(false);
    const scene = await withPublicFile({ between, settings: { writeBack } });
    const closed = edit(scene.fs, '/f', 'O', 0).catch(() => undefined);
    if (writeBack)
      await closed.then(() => {
        store(scene);
      });
    await isMade;
    const disk = await diskNow(scene);
    await scene.direct.setVisibility(scene.bucket, 'f', 'private');

    expect(await goneOn(disk, scene, settings)).toEqual([]);

    expect(await stateOf(scene)).toEqual(['Old', 'private']);
  },
);

it('what a mount that makes all private may have stored does not become public by one that preserves [crash/link]', async () => {
  const { isMade, between } = silentUploads(false);
  const scene = await withPublicFile({ settings, between });
  await edit(scene.fs, '/f', 'O', 0);
  store(scene);
  await isMade;
  const disk = await diskNow(scene);
  scene.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'lost-answer' } });
  const makesPrivate = { settings: { ...settings, visibility: 'private' as const } };
  const second = await mountOver(disk, { ...scene, service: scene.service }, makesPrivate);
  // It begins by itself, and what it has begun is not tried again when that is asked for.
  await expect
    .poll(async () => (await second.unsent.list()).map(({ state }) => state))
    .toEqual(['end unknown']);
  expect(await stateOf(scene)).toEqual(['Old', 'private']);
  const again = await diskNow({ stateDirectory: disk.directory });
  scene.faults.clear();

  expect(await goneOn(again, scene, settings)).toEqual([]);

  expect(await stateOf(scene)).toEqual(['Old', 'private']);
});

it('without a record that no link is owed any more nothing is stored, and it is tried again [crash/link]', async () => {
  const { isMade, between } = silentUploads();
  const scene = await withPublicFile({ settings, between });
  await edit(scene.fs, '/f', 'O', 0);
  store(scene);
  await isMade;
  const disk = await diskNow(scene);
  await deletedByOthers(scene);
  // The next mount knows by then that the service has nothing.
  const takeThemAgain = refuseCommits('put draft/', '"base":null');
  const log = new LogForTest();
  const next = await mountOver(disk, { ...scene, service: scene.direct }, { settings, log });

  const outcomes = await next.unsent.retry((await next.unsent.list()).map(({ id }) => id));

  expect(outcomes).toMatchObject([{ isDone: false }]);
  expect(log.about('a file could not be stored')).toMatchObject([{ fields: { path: '/f' } }]);
  expect(await textOf(scene, 'f')).toBe('(none)');
  takeThemAgain();
  await drained(next);
  expect(await stateOf(scene)).toEqual(['Old', 'private']);
});
