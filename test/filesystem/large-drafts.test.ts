/** SEMANTICS: nobody waits for a reading of all of a large draft where the service has not read it either. */
import { expect, it } from 'vitest';
import type { FileHandle } from '../../src/filesystem/operations.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { uploadOf } from '../support/embedded-service.ts';
import { openForTest, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall, openToRewrite } from '../support/program-acts.ts';
import { silentUploads } from '../support/public-file.ts';

/** A hole: on the disk it takes nothing. To hash it takes an hour. */
const SIZE = 2 ** 40;
/** More than is read for a record. */
const MODERATE = 65 * 2 ** 20;

async function openLarge({ fs }: FileSystemForTest, size = SIZE): Promise<FileHandle> {
  const handle = await openToRewrite(fs, '/large');
  await fs.truncate('/large', size, handle);
  return handle;
}

it.each([
  [402, 'EDQUOT'],
  [413, 'EFBIG'],
])('a close hears at once that the service has refused it (%s) [write/close]', async (status, code) => {
  const scene = await openForTest();
  scene.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status } });
  const handle = await openLarge(scene);

  expect(await errnoOfCall(scene.fs.flush(handle))).toBe(code);
  await scene.fs.release(handle);

  expect(await scene.mounted.unsent.list()).toMatchObject([
    { path: '/large', bytes: SIZE, isWhole: true, code },
  ]);
});

it('the end of the mount names it, and the next mount has it whole [unmount/leave]', async () => {
  const { between, isMade } = silentUploads(false);
  const scene = await openForTest({ between });
  const handle = await openLarge(scene);
  void scene.fs.flush(handle).catch(() => undefined);
  await isMade;

  const left = await scene.mounted.close({ patience: 1000, giveUp: AbortSignal.abort() });

  expect(left).toMatchObject([{ path: '/large', bytes: SIZE }]);
  const next = await mountOver({ directory: scene.stateDirectory }, scene, {
    service: between(scene.direct),
  });
  expect(await next.unsent.list()).toMatchObject([{ path: '/large', bytes: SIZE, isWhole: true }]);
});

it('the next mount knows it, where a later try had stored it after all [crash/unsent]', async () => {
  const scene = await openForTest();
  scene.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 402 } });
  const handle = await openLarge(scene, MODERATE);
  expect(await errnoOfCall(scene.fs.flush(handle))).toBe('EDQUOT');
  const disk = await diskNow(scene);
  await scene.direct.putObject(scene.bucket, 'large', uploadOf(Buffer.alloc(MODERATE)));
  scene.asked();

  const next = await mountOver(disk, scene);

  await expect.poll(() => next.unsent.list()).toEqual([]);
  expect(scene.asked()).toEqual(['headObject large']);
});
