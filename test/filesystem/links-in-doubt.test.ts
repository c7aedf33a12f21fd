/**
 * SEMANTICS: a public file is stored by an upload that takes its link away, and the local disk, the line or the end of the mount come
 * between; then the mount is killed. The link is there again, unless somebody has taken it down.
 */
import { expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { refuseCommits } from '../support/journal-commits.ts';
import { edit, errnoOfCall, openToEdit, setXattr, writeAt } from '../support/program-acts.ts';
import { goneOn, silentUploads, stateOf, withPublicFile } from '../support/public-file.ts';
import { visibilityOf } from '../support/stored-state.ts';

it('the second of two uploads without an answer is made public again, though a program writes on [crash/link]', async () => {
  const scene = await withPublicFile();
  const { fs, faults } = scene;
  const handle = await openToEdit(fs, '/f');
  faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'lost-answer' } });
  for (const text of ['one', 'two']) {
    await writeAt(fs, handle, text);
    expect(await errnoOfCall(fs.fsync(handle))).not.toBe('none');
  }
  await writeAt(fs, handle, 'thr');
  const disk = await diskNow(scene);
  faults.clear();
  expect(await stateOf(scene)).toEqual(['two', 'private']);

  await goneOn(disk, scene);

  expect(await stateOf(scene)).toEqual(['two', 'public']);
});

it('what an earlier mount has promised keeps its link when an unmount gives up beside a newer edit [crash/link] [write/unmount]', async () => {
  const scene = await withPublicFile({ settings: { writeBack: true } });
  await edit(scene.fs, '/f', 'O', 0);
  const disk = await diskNow(scene);
  const silent = silentUploads();
  const mounted = await mountOver(disk, { ...scene, service: silent.between(scene.direct) });
  await silent.isMade;
  const handle = await openToEdit(mounted.operations, '/f');
  await writeAt(mounted.operations, handle, 'L', 1);
  await mounted.close({ patience: 1 });
  const left = await diskNow({ stateDirectory: disk.directory });

  await goneOn(left, scene);

  expect(await stateOf(scene)).toEqual(['OLd', 'public']);
});

it('a link that was restored, which the disk did not note, stays down once it is taken down [crash/link]', async () => {
  const scene = await withPublicFile();
  const { fs, faults, mounted } = scene;
  faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 403 } });
  expect(await errnoOfCall(edit(fs, '/f', 'O', 0))).toBe('EACCES');
  faults.clear();
  const takeThemAgain = refuseCommits('del draft/link-');
  await drained(mounted);
  expect(await stateOf(scene)).toEqual(['Old', 'public']);
  // While nothing says that the link is not owed any more, it must not be taken down.
  expect(await errnoOfCall(setXattr(fs, '/f', 'user.pailfs.visibility', 'private'))).toBe('EIO');
  expect(await visibilityOf(scene, 'f')).toBe('public');
  takeThemAgain();
  await setXattr(fs, '/f', 'user.pailfs.visibility', 'private');

  await goneOn(await diskNow(scene), scene);

  expect(await stateOf(scene)).toEqual(['Old', 'private']);
});

it('a public file that is stored, which the disk did not note, stays private once it is made so [crash/link]', async () => {
  const scene = await withPublicFile();
  const { fs } = scene;
  const handle = await openToEdit(fs, '/f');
  await writeAt(fs, handle, 'new');
  const takeThemAgain = refuseCommits('"state":"stored"');
  await fs.fsync(handle);
  takeThemAgain();
  await setXattr(fs, '/f', 'user.pailfs.visibility', 'private');

  await goneOn(await diskNow(scene), scene);

  expect(await stateOf(scene)).toEqual(['new', 'private']);
});
