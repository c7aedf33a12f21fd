/** SEMANTICS: somebody has deleted what a killed mount had kept from the state directory. */
import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { warningsOfEarlierMounts } from '../../src/cli/serving/open-bucket.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { names, openForTest, writeFile } from '../support/open-for-test.ts';

it('the next mount names the files whose bytes are gone, once, and goes on with the others [crash/unsent]', async () => {
  const scene = await openForTest();
  scene.store.changeAccount({ gracePeriod: true });
  for (const path of ['/gone', '/kept'])
    await expect(writeFile(scene.fs, path, 'bytes')).rejects.toMatchObject({ code: 'EDQUOT' });
  const unsent = await scene.mounted.unsent.list();
  const disk = await diskNow(scene);
  const gone = unsent.find(({ path }) => path === '/gone')?.file ?? '';
  await rm(join(disk.directory, relative(scene.stateDirectory, gone)));

  const next = await mountOver(disk, scene);

  expect(warningsOfEarlierMounts(next)).toEqual([
    'unsent bytes of earlier mounts are gone from the state directory: gone',
  ]);
  expect(await names(next.operations, '/')).toEqual(['kept']);
  const last = await mountOver(await diskNow({ stateDirectory: disk.directory }), scene);
  expect(warningsOfEarlierMounts(last)).toEqual([]);
});
