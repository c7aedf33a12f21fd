/** SEMANTICS: what a dead mount was still writing, and the service has. */
import { readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { onCommits } from '../support/journal-commits.ts';
import { openForTest } from '../support/open-for-test.ts';
import { openToRewrite, writeAt } from '../support/program-acts.ts';

it('a half file that is stored is never listed as lost when the mount that lets go of it is killed, too [crash/half]', async () => {
  const scene = await openForTest();
  const handle = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, handle, 'stored');
  await scene.fs.fsync(handle);
  const disk = await diskNow(scene);
  const filesThen: number[] = [];
  onCommits((row) => {
    if (row.startsWith('del draft')) filesThen.push(readdirSync(join(disk.directory, 'drafts')).length);
  });

  await mountOver(disk, scene);

  expect(filesThen).toEqual([1]);
  expect(await readdir(join(disk.directory, 'drafts'))).toEqual([]);
  await scene.fs.release(handle);
});
