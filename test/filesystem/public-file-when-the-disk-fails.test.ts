/** SEMANTICS: the local disk cuts the bytes of a public file when they are about to go up: they do not, and its link stays. */
import { expect, it } from 'vitest';
import { FailingDisk } from '../support/failing-disk.ts';
import { readFile } from '../support/open-for-test.ts';
import { errnoOfCall, openToRewrite, writeAt } from '../support/program-acts.ts';
import { stateOf, withPublicFile } from '../support/public-file.ts';

it.each(['ENOSPC', 'EIO'])('a save whose draft cannot be synced (%s) [write/no-space]', async (code) => {
  const disk = new FailingDisk();
  const scene = await withPublicFile({ localFiles: disk });
  await readFile(scene.fs, '/f');
  const handle = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, handle, 'new bytes');

  disk.failures.set('sync', code);
  expect(await errnoOfCall(scene.fs.flush(handle))).toBe(code);
  disk.failures.clear();
  await scene.fs.release(handle);

  expect(await stateOf(scene)).toEqual(['old', 'public']);
  expect((await readFile(scene.fs, '/f')).toString()).toBe('old');
});
