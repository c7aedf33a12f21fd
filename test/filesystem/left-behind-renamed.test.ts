/** SEMANTICS: what a dead mount left is renamed, or renamed over, before this one has stored it: what is where then, and how visible is it? */
import { expect, it } from 'vitest';
import { diskNow, mountOver, type DiskImage } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { edit, LogForTest } from '../support/program-acts.ts';
import { textsOf, visibilityOf } from '../support/stored-state.ts';

const settings = { writeBack: true } as const;

function refuse({ faults }: FileSystemForTest, ...keys: string[]): void {
  for (const key of keys)
    for (const operation of ['putObject', 'headObject', 'deleteObject', 'getVisibility'] as const)
      faults.add({ operation, key, times: Infinity, fault: { kind: 'status', status: 503 } });
}

it('a new file is private though its name was that of a public one, which is still to be deleted [write-back/again] [visibility/rename]', async () => {
  const scene = await openForTest({ settings });
  const { fs, direct, bucket, faults } = scene;
  await scene.foreignWrite('f', 'old');
  await direct.setVisibility(bucket, 'f', 'public');
  await names(fs, '/');
  refuse(scene, 'f');
  await fs.unlink('/f');
  await writeFile(fs, '/f', 'anew');
  const next = await mountOver(await diskNow(scene), scene, { settings });
  // Of both it knows that they cannot be done yet.
  await expect
    .poll(async () => (await next.unsent.list()).map(({ attempts }) => attempts > 0))
    .toEqual([true, true]);
  faults.clear();

  await next.operations.rename('/f', '/g', false);
  await drained(next);

  expect(await textsOf(scene)).toEqual({ g: 'anew' });
  expect(await visibilityOf(scene, 'g')).toBe('private');
});

/** With an upload of `f`, which took its link away, cut by the end of the process; somebody else has replaced the file since. */
async function replacedSince(): Promise<FileSystemForTest> {
  const scene = await openForTest({ settings });
  await scene.foreignWrite('f', 'old');
  await scene.direct.setVisibility(scene.bucket, 'f', 'public');
  await writeFile(scene.fs, '/f', 'promised');
  scene.faults.add({ operation: 'putObject', key: 'f', fault: { kind: 'lost-answer' } });
  await drained(scene.mounted).catch(() => undefined);
  return scene;
}

it('a new file renamed over one that others have replaced is as visible as theirs [visibility/preserve]', async () => {
  const scene = await replacedSince();
  const disk = await diskNow(scene);
  await scene.foreignWrite('f', 'theirs');
  refuse(scene, 'f');
  const next = await mountOver(disk, scene, { settings });
  await writeFile(next.operations, '/h', 'new');

  await next.operations.rename('/h', '/f', false);
  scene.faults.clear();
  await drained(next);

  expect(await textsOf(scene)).toEqual({ f: 'new' });
  expect(await visibilityOf(scene, 'f')).toBe('private');
});

it('a file stored here a moment ago, renamed over one that others have replaced, is as visible as theirs [visibility/rename]', async () => {
  const scene = await replacedSince();
  const disk = await diskNow(scene);
  await scene.foreignWrite('f', 'theirs');
  refuse(scene, 'f');
  const next = await mountOver(disk, scene);
  await writeFile(next.operations, '/h', 'new');
  scene.faults.clear();

  await next.operations.rename('/h', '/f', false);

  expect(await textsOf(scene)).toEqual({ f: 'new' });
  expect(await visibilityOf(scene, 'f')).toBe('private');
});

it.each([
  { was: 'stored before', before: 'old' },
  { was: 'new', before: null },
])(
  'what others have stored since stays under the old name when a file written anew, $was, is renamed before it is stored [conflict/rename]',
  async ({ before }) => {
    const scene = await openForTest({ settings });
    if (before !== null) await scene.foreignWrite('f', before);
    await writeFile(scene.fs, '/f', 'promised');
    const disk = await diskNow(scene);
    await scene.foreignWrite('f', 'theirs');
    scene.faults.add({
      operation: 'putObject',
      key: 'f',
      times: Infinity,
      fault: { kind: 'status', status: 503 },
    });
    const log = new LogForTest();
    const next = await mountOver(disk, scene, { settings, log });
    await expect.poll(() => next.unsent.list()).toMatchObject([{ attempts: 1 }]);

    await next.operations.rename('/f', '/g', false);

    expect(await textsOf(scene)).toEqual({ f: 'theirs', g: 'promised' });
    expect(log.about('theirs stays').map(({ fields }) => fields)).toEqual([{ theirs: 'f', ours: 'g' }]);
  },
);

it('a new file takes the link of what others have stored under its name, also when the process ends before it is given [visibility/preserve] [crash/link]', async () => {
  const scene = await openForTest({ settings });
  await writeFile(scene.fs, '/f', 'promised');
  const disk = await diskNow(scene);
  await scene.foreignWrite('f', 'theirs');
  await scene.direct.setVisibility(scene.bucket, 'f', 'public');
  const later: DiskImage[] = [];
  const service = new InterceptedService(scene.service, async ({ operation }, proceed) => {
    if (operation === 'setVisibility') later.push(await diskNow({ stateDirectory: disk.directory }));
    if (later.length > 0) throw new Error('the process is dead');
    return proceed();
  });
  const next = await mountOver(disk, scene, { settings, service });
  await expect.poll(() => later.length).toBeGreaterThan(0);

  for (const image of later.slice(0, 1)) await drained(await mountOver(image, scene, { settings }));

  expect(await textsOf(scene)).toEqual({ f: 'promised' });
  expect(await visibilityOf(scene, 'f')).toBe('public');
  await next.close({ patience: 0, giveUp: AbortSignal.abort() });
});

it.each([true, false])(
  'an edit of a file that others have deleted since is renamed for free while uploads are paused (write-back %s) [rename/draft] [write/edit-deleted]',
  async (writeBack) => {
    const scene = await openForTest({ settings });
    await scene.foreignWrite('f', 'base');
    await edit(scene.fs, '/f', 'B', 0);
    const disk = await diskNow(scene);
    await scene.direct.deleteObject(scene.bucket, 'f');
    scene.store.changeAccount({ gracePeriod: true });
    const next = await mountOver(disk, scene, { settings: { writeBack } });
    await expect.poll(() => next.unsent.list()).toMatchObject([{ attempts: 1 }]);

    await next.operations.rename('/f', '/g', false);

    scene.store.changeAccount({ gracePeriod: false });
    await drained(next);
    expect(await textsOf(scene)).toEqual({ g: 'Base' });
  },
);
