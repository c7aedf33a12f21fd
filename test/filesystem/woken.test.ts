/**
 * SEMANTICS: the computer sleeps, or the process is stopped, between a look at the service and the change that was decided on by it. What others
 * have stored meanwhile holds.
 */
import { expect, it } from 'vitest';
import type { FileSystemSettings } from '../../src/filesystem/settings.ts';
import type { ObjectService } from '../../src/service/object-service.ts';
import { drained } from '../support/drained.ts';
import { HeldAnswers } from '../support/held-answers.ts';
import { names, openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { edit, errnoOfCall, LogForTest } from '../support/program-acts.ts';
import { textOf, textOfConflictCopy, visibilityOf } from '../support/stored-state.ts';
import { TriedTwice } from '../support/tried-twice.ts';

const HOUR = 3_600_000;

interface Scene extends FileSystemForTest {
  readonly held: HeldAnswers;
}

/** With `f`, which is listed. */
async function withFile(settings: Partial<FileSystemSettings> = {}, log = new LogForTest()): Promise<Scene> {
  const held = new HeldAnswers();
  const scene = await openForTest({ settings, log, between: held.between });
  await scene.foreignWrite('f', 'base');
  await names(scene.fs, '/');
  scene.asked();
  return { ...scene, held };
}

it('an edit that was compared with the file before is kept beside what others have stored [conflict/tries]', async () => {
  const scene = await withFile();
  const look = scene.held.hold('headObject');
  const editing = edit(scene.fs, '/f', 'B', 0);
  await look.made;

  scene.clock.sleepThrough(HOUR);
  await scene.foreignWrite('f', 'theirs');
  look.letGo();
  await editing;

  expect(await textOf(scene, 'f')).toBe('theirs');
  expect(await textOfConflictCopy(scene)).toBe('Base');
});

it('a file that is unlinked with --write-back, and was seen just before, stays when others have stored another [write-back/version]', async () => {
  const log = new LogForTest();
  const scene = await withFile({ writeBack: true }, log);
  scene.clock.sleepThrough(HOUR);
  await scene.foreignWrite('f', 'theirs');

  await scene.fs.unlink('/f');

  await expect.poll(() => log.about('could not be deleted yet')).toHaveLength(1);
  // It is tried again.
  scene.clock.advance(2000);
  await drained(scene.mounted).catch(() => undefined);
  await expect.poll(() => log.about('has deleted stays')).toHaveLength(1);
  expect(await textOf(scene, 'f')).toBe('theirs');
});

it('so does one for whose unlink the computer has woken, and its program hears of it [conflict/tries]', async () => {
  const scene = await withFile();

  scene.clock.sleepThrough(HOUR);
  await scene.foreignWrite('f', 'theirs');

  expect(await errnoOfCall(scene.fs.unlink('/f'))).toBe('EIO');
  expect(await textOf(scene, 'f')).toBe('theirs');
});

it('the old name of a file that is renamed keeps what others have stored there [rename/version]', async () => {
  const scene = await withFile();
  const lookAtCopy = scene.held.hold('headObject');
  const renaming = errnoOfCall(scene.fs.rename('/f', '/g', false));
  await lookAtCopy.made;
  const lookAtSource = scene.held.hold('headObject');
  lookAtCopy.letGo();
  await lookAtSource.made;

  scene.clock.sleepThrough(HOUR);
  await scene.foreignWrite('f', 'theirs');
  lookAtSource.letGo();

  expect(await renaming).toBe('ESTALE');
  expect(await textOf(scene, 'f')).toBe('theirs');
});

it('a link that others have taken down meanwhile stays down when the file is saved [conflict/tries]', async () => {
  const scene = await withFile();
  const { direct, bucket, clock } = scene;
  await direct.setVisibility(bucket, 'f', 'public');
  await writeFile(scene.fs, '/f', 'once');
  const before = await visibilityOf(scene, 'f');

  clock.sleepThrough(HOUR);
  await direct.setVisibility(bucket, 'f', 'private');
  await writeFile(scene.fs, '/f', 'twice');

  expect([before, await visibilityOf(scene, 'f'), await textOf(scene, 'f')]).toEqual([
    'public',
    'private',
    'twice',
  ]);
});

it('a link that others take down while the computer sleeps between two tries of a save stays down [conflict/tries]', async () => {
  const tries: TriedTwice[] = [];
  const between = (service: ObjectService): TriedTwice => {
    const twice = new TriedTwice(service);
    tries.push(twice);
    return twice;
  };
  const scene = await openForTest({ between });
  const { direct, bucket, clock, fs } = scene;
  await scene.foreignWrite('f', 'base');
  await direct.setVisibility(bucket, 'f', 'public');
  const meanwhile = async (): Promise<void> => {
    clock.sleepThrough(HOUR);
    await direct.setVisibility(bucket, 'f', 'private');
  };
  for (const twice of tries)
    twice.next = { operation: 'putObject', key: 'f', first: 'never sent', meanwhile };

  await writeFile(fs, '/f', 'new');

  expect(await textOf(scene, 'f')).toBe('new');
  expect(await visibilityOf(scene, 'f')).toBe('private');
});

it('where nobody else stores anything all is as ever, by a look more for a minute [conflict/tries]', async () => {
  const scene = await withFile();
  scene.clock.sleepThrough(HOUR);

  await edit(scene.fs, '/f', 'B', 0);
  const woken = scene.asked().filter((line) => line === 'headObject f').length;
  await scene.fs.unlink('/f');
  const unlinked = scene.asked();
  await writeFile(scene.fs, '/f', 'base');
  scene.clock.advance(60_000);
  await names(scene.fs, '/');
  scene.asked();
  await scene.fs.unlink('/f');

  expect(woken).toBe(2);
  expect(unlinked.at(-1)).toBe('deleteObject f');
  expect(scene.asked()).toEqual(['deleteObject f']);
});
