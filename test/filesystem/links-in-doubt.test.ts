/**
 * SEMANTICS: a public file is stored by an upload that takes its link away, and the local disk, the line or the end of the mount come
 * between; then the mount is killed. The link is there again, unless somebody has taken it down.
 */
import { expect, it } from 'vitest';
import { diskNow, mountOver, type DiskImage } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { onCommits, refuseCommits } from '../support/journal-commits.ts';
import { readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { edit, errnoOfCall, openToEdit, setXattr, textAt, writeAt } from '../support/program-acts.ts';
import { goneOn, silentUploads, stateOf, withPublicFile } from '../support/public-file.ts';
import { textOf, textsOf, visibilityOf } from '../support/stored-state.ts';

/** Two uploads of /f came, of which nobody heard, and a program writes the next. */
async function withTwoUnheard(): Promise<{ scene: FileSystemForTest; disk: DiskImage }> {
  const scene = await withPublicFile();
  const { fs, faults } = scene;
  const handle = await openToEdit(fs, '/f');
  faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'lost-answer' } });
  for (const text of ['one', 'second']) {
    await writeAt(fs, handle, text);
    expect(await errnoOfCall(fs.fsync(handle))).not.toBe('none');
  }
  await writeAt(fs, handle, 'thr');
  const disk = await diskNow(scene);
  faults.clear();
  expect(await stateOf(scene)).toEqual(['second', 'private']);
  return { scene, disk };
}

it('the second of two uploads without an answer is made public again, though a program writes on [crash/link]', async () => {
  const { scene, disk } = await withTwoUnheard();

  await goneOn(disk, scene);

  expect(await stateOf(scene)).toEqual(['second', 'public']);
});

it('and also when programs read it before its link is restored, which is refused at first [crash/link]', async () => {
  const { scene, disk } = await withTwoUnheard();
  scene.faults.add({ operation: 'setVisibility', times: 1, fault: { kind: 'status', status: 503 } });
  const next = await mountOver(disk, scene);
  await expect.poll(() => next.unsent.list()).toContainEqual(expect.objectContaining({ kind: 'link' }));

  expect((await readFile(next.operations, '/f')).toString()).toBe('second');
  await drained(next);

  expect(await stateOf(scene)).toEqual(['second', 'public']);
});

it('who has the first of two uploads without an answer open edits the second, once that has come and its link is restored [crash/link]', async () => {
  const { scene, disk } = await withTwoUnheard();
  await scene.foreignWrite('f', 'one');
  scene.faults.add({ operation: 'setVisibility', times: 1, fault: { kind: 'status', status: 503 } });
  const next = await mountOver(disk, scene);
  await expect.poll(() => next.unsent.list()).toContainEqual(expect.objectContaining({ kind: 'link' }));
  const handle = await openToEdit(next.operations, '/f');
  expect(await textAt(next.operations, handle)).toBe('one');
  await scene.foreignWrite('f', 'second');
  await drained(next);

  await writeAt(next.operations, handle, 'S');
  await next.operations.flush(handle);

  expect([await textsOf(scene), await stateOf(scene)]).toEqual([{ f: 'Second' }, ['Second', 'public']]);
  await next.operations.release(handle);
});

it('an upload that fails again and again after one without an answer is recorded once [crash/link]', async () => {
  const scene = await withPublicFile();
  const { fs, faults } = scene;
  const handle = await openToEdit(fs, '/f');
  faults.add({ operation: 'putObject', times: 1, fault: { kind: 'lost-answer' } });
  faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 403 } });
  const rows = new Set<string>();
  const stop = onCommits((row) => {
    if (row.includes('put draft/link-')) rows.add(row);
  });
  for (const text of ['one', 'two', 'thr', 'fou']) {
    await writeAt(fs, handle, text);
    expect(await errnoOfCall(fs.fsync(handle))).not.toBe('none');
  }
  stop();

  expect([...rows]).toHaveLength(1);
});

it('what was to be private stays so, though the version before it is owed its link [crash/link]', async () => {
  const scene = await withPublicFile();
  const { fs, faults, mounted } = scene;
  faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 403 } });
  expect(await errnoOfCall(edit(fs, '/f', 'O', 0))).toBe('EACCES');
  const handle = await openToEdit(fs, '/f');
  await writeAt(fs, handle, 'secret');
  faults.clear();
  await setXattr(fs, '/f', 'user.pailfs.visibility', 'private');
  faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'lost-answer' } });
  expect(await errnoOfCall(fs.flush(handle))).not.toBe('none');
  await fs.release(handle);
  faults.clear();
  const [upload] = await mounted.unsent.list();
  await mounted.unsent.discard([upload?.id ?? '']);

  await drained(mounted);

  expect(await stateOf(scene)).toEqual(['secret', 'private']);
});

it('what is renamed over a public file whose link is owed is public after a kill [crash/link] [rename/crash]', async () => {
  const settings = { writeBack: true };
  const scene = await withPublicFile({ settings });
  const { fs, faults, mounted } = scene;
  faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 403 } });
  await edit(fs, '/f', 'O', 0);
  await drained(mounted).catch(() => undefined);
  expect(await stateOf(scene)).toEqual(['Old', 'private']);
  faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 503 } });
  await writeFile(fs, '/t', 'newer');
  await fs.rename('/t', '/f', false);
  const disk = await diskNow(scene);
  faults.clear();

  await goneOn(disk, scene, settings);

  expect(await stateOf(scene)).toEqual(['newer', 'public']);
});

it('a copy whose link could not be restored is public after a kill, and its source is still there [crash/link] [rename/crash]', async () => {
  const scene = await withPublicFile();
  const { fs, faults, direct, bucket } = scene;
  await scene.foreignWrite('to', 'target');
  await direct.setVisibility(bucket, 'to', 'public');
  faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 403 } });
  expect(await errnoOfCall(fs.rename('/f', '/to', false))).toBe('EACCES');
  const disk = await diskNow(scene);
  faults.clear();

  await goneOn(disk, scene);

  expect([await textOf(scene, 'to'), await visibilityOf(scene, 'to')]).toEqual(['old', 'public']);
  expect(await stateOf(scene)).toEqual(['old', 'public']);
});

it('an edit of a copy whose link could not be restored is public after a kill [crash/link] [rename/crash]', async () => {
  const settings = { writeBack: true };
  const scene = await withPublicFile({ settings });
  const { fs, faults, direct, bucket } = scene;
  await scene.foreignWrite('to', 'target');
  await direct.setVisibility(bucket, 'to', 'public');
  faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 403 } });
  expect(await errnoOfCall(fs.rename('/f', '/to', false))).not.toBe('none');
  await edit(fs, '/to', 'O', 0);
  const disk = await diskNow(scene);
  faults.clear();

  await goneOn(disk, scene, settings);

  expect([await textOf(scene, 'to'), await visibilityOf(scene, 'to')]).toEqual(['Old', 'public']);
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
  const takeDown = (): Promise<string> =>
    errnoOfCall(setXattr(fs, '/f', 'user.pailfs.visibility', 'private'));
  expect(await Promise.all([takeDown(), takeDown()])).toEqual(['EIO', 'EIO']);
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
