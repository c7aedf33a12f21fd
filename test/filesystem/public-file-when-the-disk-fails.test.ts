/** SEMANTICS: a public file keeps its link, or has it back, whatever the local disk says to its bytes, or to what is noted of it. */
import { expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { refuseCommits } from '../support/journal-commits.ts';
import { readFile, writeFile } from '../support/open-for-test.ts';
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

it('a link that a rename owes, and the disk did not note, is restored after a later kill [crash/link]', async () => {
  const scene = await withPublicFile({});
  await writeFile(scene.fs, '/s', 'new');
  scene.faults.add({ operation: 'setVisibility', fault: { kind: 'status', status: 503 } });
  const end = refuseCommits('put draft/link-');
  expect(await errnoOfCall(scene.fs.rename('/s', '/f', false))).toBe('EIO');
  end();
  scene.faults.add({ operation: 'putObject', fault: { kind: 'status', status: 503 } });
  expect(await errnoOfCall(writeFile(scene.fs, '/other', 'recorded'))).toBe('EIO');
  expect(await stateOf(scene)).toEqual(['new', 'private']);

  const next = await mountOver(await diskNow(scene), scene);
  await next.close({ patience: 60_000 });

  expect(await stateOf(scene)).toEqual(['new', 'public']);
});
