/** SEMANTICS: with write-back a public file is stored, and the service does not let it be made public again, or does not answer. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { FileHandle, FileSystemOperations } from '../../src/filesystem/operations.ts';
import type { Operation } from '../../src/service/refusal.ts';
import { uploadOf } from '../support/embedded-service.ts';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { openOverHttp, type OverHttp } from '../support/open-over-http.ts';
import {
  errnoOfCall,
  LogForTest,
  openToRead,
  openToRewrite,
  writeAt,
  xattr,
} from '../support/program-acts.ts';
import { holdNext } from '../support/hold-next.ts';

/** Longer than what was promised waits for its turn. */
const SOON = 200;
/** Longer than anything waits for its next try. */
const LONGEST_WAIT = 301_000;

/** `/f`, which is public on the service, written anew and not closed yet. */
async function rewritten(
  scene: Pick<OverHttp, 'direct' | 'bucket'>,
  fs: FileSystemOperations,
): Promise<FileHandle> {
  await scene.direct.putObject(scene.bucket, 'f', uploadOf('old'));
  await scene.direct.setVisibility(scene.bucket, 'f', 'public');
  await names(fs, '/');
  const handle = await openToRewrite(fs, '/f');
  await writeAt(fs, handle, 'new');
  return handle;
}

it.each<Operation>(['headObject', 'setVisibility'])(
  'whose link waits for a %s without an answer, can be read, closed and synced as soon as the deadline has passed [write-back/fsync]',
  async (operation) => {
    const http = await openOverHttp({ writeBack: true });
    const { mounted, direct, bucket } = http;
    const fs = mounted.operations;
    const handle = await rewritten(http, fs);
    http.fail({ operation, key: 'f', times: Infinity, fault: { kind: 'stall' } });
    expect(await http.impatiently(errnoOfCall(fs.fsync(handle)))).toBe('ETIMEDOUT');
    await fs.release(handle);
    const { taken } = http.faults;
    http.pass(SOON);
    // The mount tries the link by itself, and is behind the same silence.
    await expect.poll(() => http.faults.taken).toBe(taken + 1);

    const again = await openToRead(fs, '/f');
    const synced = errnoOfCall(fs.fsync(again));
    const read = readFile(fs, '/f').then(String);

    expect(await http.impatiently(Promise.all([synced, read]))).toEqual(['ETIMEDOUT', 'new']);
    http.faults.clear();
    await http.endStalled();
    expect(await errnoOfCall(fs.fsync(again))).toBe('none');
    await fs.release(again);
    expect((await direct.getVisibility(bucket, 'f')).visibility).toBe('public');
  },
);

it('whose link is refused while a program has it open is stored: nothing is set aside [write-back/refused]', async () => {
  const log = new LogForTest();
  const scene = await openForTest({ log, settings: { writeBack: true } });
  const { fs, mounted, faults, clock, asked } = scene;
  const handle = await rewritten(scene, fs);
  faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 403 } });
  expect(await errnoOfCall(fs.fsync(handle))).toBe('EACCES');
  asked();

  clock.advance(SOON);
  await expect.poll(() => faults.taken).toBe(2);
  // Waits for the try under way.
  expect((await readFile(fs, '/f')).toString()).toBe('new');

  expect(await mounted.unsent.list()).toMatchObject([{ path: '/f', kind: 'link', state: 'failed' }]);
  expect(await xattr(fs, '/f', 'user.pailfs.state')).toBe('failed');
  expect(log.about('set aside')).toEqual([]);
  faults.clear();
  await writeAt(fs, handle, 'er', 3);
  expect(await errnoOfCall(fs.fsync(handle))).toBe('none');
  await fs.release(handle);
  expect((await scene.stored('f')).toString()).toBe('newer');
  expect((await scene.direct.getVisibility(scene.bucket, 'f')).visibility).toBe('public');
  expect(await mounted.unsent.list()).toEqual([]);
});

it('whose link is refused after its close is stored: nothing is set aside, and nothing stays here [write-back/refused]', async () => {
  const log = new LogForTest();
  const scene = await openForTest({ log, settings: { writeBack: true } });
  const { fs, mounted, faults, clock, stateDirectory } = scene;
  const handle = await rewritten(scene, fs);
  faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 403 } });
  await fs.flush(handle);
  await fs.release(handle);

  const tries = (): number => {
    clock.advance(LONGEST_WAIT);
    return faults.taken;
  };
  await expect.poll(tries).toBeGreaterThan(1);
  await expect.poll(() => readdir(join(stateDirectory, 'drafts'))).toEqual([]);
  expect((await readFile(fs, '/f')).toString()).toBe('new');

  expect(await mounted.unsent.list()).toMatchObject([{ path: '/f', kind: 'link', state: 'failed' }]);
  expect(log.about('set aside')).toEqual([]);
});

it('that is closed again while older bytes of it are refused has its own turn [write-back/refused]', async () => {
  const log = new LogForTest();
  const scene = await openForTest({ log, settings: { writeBack: true } });
  const { fs, mounted, faults, service, clock } = scene;
  const { letGo } = holdNext(service, 'putObject');
  faults.add({ operation: 'putObject', fault: { kind: 'status', status: 403 } });
  await writeFile(fs, '/f', 'older');
  clock.advance(SOON);
  await expect.poll(() => xattr(fs, '/f', 'user.pailfs.state')).toBe('uploading');

  await writeFile(fs, '/f', 'newer');
  letGo();

  const stored = (): Promise<string> => {
    clock.advance(SOON);
    return scene.stored('f').then(String, () => '(none)');
  };
  await expect.poll(stored).toBe('newer');
  expect(log.about('set aside')).toEqual([]);
  await expect.poll(() => mounted.unsent.list()).toEqual([]);
});
