/** What nobody sends lies on the disk, perhaps for weeks and by the thousand: no mount has it open. */
import { expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { countedFiles, type CountedFiles } from '../support/counted-files.ts';
import { refuseCommits } from '../support/journal-commits.ts';
import { openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { openToRewrite, writeAt } from '../support/program-acts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

async function withRefused(): Promise<{ readonly scene: FileSystemForTest; readonly files: CountedFiles }> {
  const files = countedFiles();
  const scene = await openForTest({ localFiles: files });
  scene.faults.add({ operation: 'putObject', fault: { kind: 'status', status: 403 } });
  return { scene, files };
}

it('a file that the service has refused for good', async () => {
  const { scene, files } = await withRefused();

  await expect(writeFile(scene.fs, '/f', 'x')).rejects.toMatchObject({ code: 'EACCES' });

  expect(await scene.mounted.unsent.list()).toMatchObject([{ path: '/f', state: 'set aside' }]);
  expect(files.count()).toBe(0);
});

it('nor one that a person wants stored while the service does not say what is there', async () => {
  const { scene, files } = await withRefused();
  await expect(writeFile(scene.fs, '/f', 'x')).rejects.toMatchObject({ code: 'EACCES' });
  const [change] = await scene.mounted.unsent.list();
  scene.clock.advance(60_000);
  scene.faults.add({ operation: 'listObjects', times: Infinity, fault: { kind: 'status', status: 403 } });
  scene.faults.add({ operation: 'headObject', times: Infinity, fault: { kind: 'status', status: 403 } });

  expect(await scene.mounted.unsent.retry([change?.id ?? ''])).toMatchObject([{ isDone: false }]);

  expect(await scene.mounted.unsent.list()).toMatchObject([{ path: '/f', state: 'set aside' }]);
  expect(files.count()).toBe(0);
});

it('nor half of one of an earlier mount, which the service turns out to have', async () => {
  const scene = await openForTest();
  const handle = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, handle, 'stored');
  await scene.fs.fsync(handle);
  const files = countedFiles();

  await mountOver(await diskNow(scene), scene, { localFiles: files });

  expect(files.count()).toBe(0);
  await scene.fs.release(handle);
});

it('nor the older of two that earlier mounts left under one name, where the disk does not take that it is set aside', async () => {
  const scene = await openForTest();
  const stateDirectory = await temporaryDirectory();
  const { operations } = await mountOver({ directory: stateDirectory }, scene);
  scene.store.changeAccount({ gracePeriod: true });
  for (const fs of [scene.fs, operations]) {
    await expect(writeFile(fs, '/f', 'x')).rejects.toMatchObject({ code: 'EDQUOT' });
    scene.clock.advance(1000);
  }
  const [disk, others] = [await diskNow(scene), await diskNow({ stateDirectory })];
  refuseCommits('set aside');
  const files = countedFiles();

  const next = await mountOver(disk, scene, { adopted: [others], localFiles: files });

  const states = (await next.unsent.list()).map(({ state }) => state === 'set aside');
  expect(states.sort()).toEqual([false, true]);
  expect(files.count()).toBe(1);
});
