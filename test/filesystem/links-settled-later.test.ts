/** SEMANTICS: the next mount makes nothing public but what is owed its link: not what had it back and others made private, nor what never was. */
import { expect, it } from 'vitest';
import { diskNow } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { refuseCommits } from '../support/journal-commits.ts';
import { openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall, openToEdit, setXattr, writeAt } from '../support/program-acts.ts';
import { goneOn, stateOf, withOwedLink, withPublicFile } from '../support/public-file.ts';

const VISIBILITY = 'user.pailfs.visibility';

/** What /f is once its link is restored, others have made it private, the mount is killed, and the next has gone on. */
async function madePrivateAfter(scene: FileSystemForTest): Promise<string[]> {
  await drained(scene.mounted);
  expect(await stateOf(scene)).toEqual([expect.any(String), 'public']);
  await scene.direct.setVisibility(scene.bucket, 'f', 'private');
  expect(await goneOn(await diskNow(scene), scene)).toEqual([]);
  return stateOf(scene);
}

it('that of a file that was renamed over a public one, which could not be made public at once [crash/link]', async () => {
  const scene = await withPublicFile();
  const { fs, faults } = scene;
  await writeFile(fs, '/t', 'new');
  faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 503 } });
  expect(await errnoOfCall(fs.rename('/t', '/f', false))).toBe('EIO');
  faults.clear();

  expect(await madePrivateAfter(scene)).toEqual(['new', 'private']);
});

it('that of a file that could not be made private before it was restored [crash/link]', async () => {
  const scene = await withOwedLink();
  const { fs, faults } = scene;
  faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 503 } });
  expect(await errnoOfCall(setXattr(fs, '/f', VISIBILITY, 'private'))).toBe('EIO');
  faults.clear();

  expect(await madePrivateAfter(scene)).toEqual(['Old', 'private']);
});

it('nobody who writes to it is told that it is private as long as the local disk would have the next mount make it public [crash/link]', async () => {
  const scene = await withOwedLink();
  const { fs, mounted } = scene;
  const takesAgain = refuseCommits('del draft/link');
  await drained(mounted);
  expect(await stateOf(scene)).toEqual(['Old', 'public']);
  const handle = await openToEdit(fs, '/f');
  await writeAt(fs, handle, 'XY');

  expect(await errnoOfCall(setXattr(fs, '/f', VISIBILITY, 'private'))).toBe('EIO');

  expect(await stateOf(scene)).toEqual(['Old', 'public']);
  takesAgain();
  expect(await errnoOfCall(setXattr(fs, '/f', VISIBILITY, 'private'))).toBe('none');
  await goneOn(await diskNow(scene), scene);
  expect(await stateOf(scene)).toEqual(['Old', 'private']);
});

it('a private file whose upload may have come stays private when its mount is killed while a program writes to it [crash/link]', async () => {
  const scene = await openForTest();
  const { fs, faults } = scene;
  await writeFile(fs, '/f', 'old');
  faults.add({ operation: 'putObject', fault: { kind: 'lost-answer' } });
  expect(await errnoOfCall(writeFile(fs, '/f', 'came'))).toBe('EIO');
  await writeAt(fs, await openToEdit(fs, '/f'), 'HALF');

  await goneOn(await diskNow(scene), scene);

  expect(await stateOf(scene)).toEqual(['came', 'private']);
});
