/** SEMANTICS: the next mount finishes the rename of a scratch file, which a crash had cut, while programs use its name again. */
import { expect, it } from 'vitest';
import type { MountedFileSystem } from '../../src/filesystem/open-file-system.ts';
import type { FileHandle, FileSystemOperations } from '../../src/filesystem/operations.ts';
import { diskNow, mountOver, type DiskImage } from '../support/after-a-crash.ts';
import { STAYS } from '../support/cut-rename.ts';
import { drained } from '../support/drained.ts';
import { holdNext } from '../support/hold-next.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import {
  closing,
  openForTest,
  readFile,
  writeFile,
  type FileSystemForTest,
} from '../support/open-for-test.ts';
import { LogForTest, openToEdit, openToRewrite, writeAt } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

const SCRATCH = '/.f.Ab3dE9';
/** Longer than a transfer waits for its rename, and than a resumed rename for its next try. */
const LONG = 31_000;

it('who writes to the scratch file anew has those bytes, and the true name the others [rename/crash] [scratch/local]', async () => {
  const { scene, disk } = await killedAfterCopy();
  const log = new LogForTest();
  const look = holdNext(scene.service, 'headObject');
  const next = await mountOver(disk, scene, { log });
  const fs = next.operations;
  await look.begun;
  const handle = await openToRewrite(fs, SCRATCH);
  await writeAt(fs, handle, 'NEWER');

  look.letGo();

  await renamed(next);
  await fs.flush(handle);
  await fs.release(handle);
  expect((await readFile(fs, SCRATCH)).toString()).toBe('NEWER');
  expect(log.about(STAYS)).toHaveLength(1);
  scene.clock.advance(LONG);
  await expect.poll(() => textsOf(scene)).toEqual({ '.f.Ab3dE9': 'NEWER', f: 'whole' });
});

it('who makes another scratch file of that name before the second look has that, too [rename/crash] [scratch/local]', async () => {
  const { scene, disk } = await killedAfterCopy();
  scene.faults.add({ operation: 'headObject', key: 'f', fault: { kind: 'status', status: 503 } });
  const next = await mountOver(disk, scene);
  const fs = next.operations;
  await fs.unlink(SCRATCH);
  const handle = await createScratch(fs);
  await writeAt(fs, handle, 'another');

  scene.clock.advance(LONG);

  await renamed(next);
  await fs.flush(handle);
  await fs.release(handle);
  expect((await readFile(fs, SCRATCH)).toString()).toBe('another');
  expect(await textsOf(scene)).toEqual({ f: 'whole' });
});

it.each([true, false])(
  'what waits under the true name, since its close failed, does not come back over what was renamed there (write-back %s) [rename/crash] [scratch/local]',
  async (writeBack) => {
    const { scene, disk } = await killedAfterCopy('waits');
    const next = await mountOver(disk, { ...scene, service: scene.direct }, { settings: { writeBack } });

    await renamed(next);
    await drained(next);

    expect(await textsOf(scene)).toEqual({ f: 'whole' });
    expect(await next.unsent.list()).toEqual([]);
  },
);

it('who edits what waits under the true name while the rename is looked at has that stored beside [rename/crash] [conflict/keep-both]', async () => {
  const { scene, disk } = await killedAfterCopy('waits');
  const service = scene.direct;
  const look = holdNext(service, 'headObject');
  const next = await mountOver(disk, { ...scene, service });
  const fs = next.operations;
  await look.begun;
  const handle = await openToEdit(fs, '/f');
  await writeAt(fs, handle, 'NEW');

  look.letGo();

  await renamed(next);
  await closing(fs, handle, () => Promise.resolve());
  await drained(next);
  const { f, ...copies } = await textsOf(scene);
  expect({ f, copies: Object.values(copies) }).toEqual({ f: 'whole', copies: ['NEWts'] });
});

function createScratch(fs: FileSystemOperations): Promise<FileHandle> {
  return fs.create(SCRATCH, { read: false, write: true, truncate: false, exclusive: true, mode: 0o600 });
}

/** Resolves when the rename has ended. */
async function renamed({ unsent }: MountedFileSystem): Promise<void> {
  await expect.poll(async () => (await unsent.list()).map(({ kind }) => kind)).not.toContain('rename');
}

/** In the middle of the rename of a scratch file to `f`, whose copy is stored; a close of `f` had failed before to store `waiting`. */
async function killedAfterCopy(
  waiting?: string,
): Promise<{ readonly scene: FileSystemForTest; readonly disk: DiskImage }> {
  const disks: DiskImage[] = [];
  let isRenaming = false;
  const scene: FileSystemForTest = await openForTest({
    between: (service) =>
      new InterceptedService(service, async ({ operation, key }, proceed) => {
        if (disks.length > 0) throw new Error('the process is dead');
        const answer = await proceed();
        if (isRenaming && operation === 'putObject' && key === 'f') disks.push(await diskNow(scene));
        return answer;
      }),
  });
  if (waiting !== undefined) {
    await scene.foreignWrite('f', 'old');
    scene.faults.add({ operation: 'putObject', fault: { kind: 'status', status: 503 }, times: Infinity });
    const failing = writeFile(scene.fs, '/f', waiting).catch(() => undefined);
    const isOver = failing.then(() => true);
    const later = (): Promise<boolean> => {
      scene.clock.advance(1000);
      return Promise.race([isOver, Promise.resolve(false)]);
    };
    await expect.poll(later).toBe(true);
    scene.faults.clear();
  }
  const handle = await createScratch(scene.fs);
  await closing(scene.fs, handle, async () => {
    await writeAt(scene.fs, handle, 'whole');
    await scene.fs.fsync(handle);
  });
  isRenaming = true;
  await scene.fs.rename(SCRATCH, '/f', false).catch(() => undefined);
  const [disk] = disks;
  if (disk === undefined) throw new Error('nothing was stored under the true name');
  return { scene, disk };
}

it.each([true, false])(
  'a transfer that a crash has left is stored half a minute later by a mount with --write-back (scratch %s) [scratch/transfer]',
  async (scratch) => {
    const scene = await openForTest();
    const handle = await createScratch(scene.fs);
    await closing(scene.fs, handle, async () => {
      await writeAt(scene.fs, handle, 'whole');
      await scene.fs.fsync(handle);
    });
    const disk = await diskNow(scene);
    // The one that was killed stores nothing any more.
    scene.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 503 } });

    await mountOver(disk, { ...scene, service: scene.direct }, { settings: { writeBack: true, scratch } });

    const later = () => {
      scene.clock.advance(LONG);
      return textsOf(scene);
    };
    await expect.poll(later).toEqual({ '.f.Ab3dE9': 'whole' });
  },
);
