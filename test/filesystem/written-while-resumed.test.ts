/** SEMANTICS: who writes to a file while the next mount finishes its rename, which a crash had cut, loses nothing. */
import { expect, it } from 'vitest';
import type { MountedFileSystem } from '../../src/filesystem/open-file-system.ts';
import type { FileHandle } from '../../src/filesystem/operations.ts';
import { bytesUnder, namesBelow } from '../model/service-contents.ts';
import { diskNow, mountOver, type DiskImage } from '../support/after-a-crash.ts';
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
import { openToEdit, openToRewrite, writeAt } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

interface Closing {
  readonly scene: FileSystemForTest;
  readonly next: MountedFileSystem;
  readonly handle: FileHandle;
}

interface Killed {
  readonly scene: FileSystemForTest;
  readonly disk: DiskImage;
}

it.each([
  { how: 'edits', open: openToEdit, isClosedBefore: false, written: 'NEWERsed' },
  { how: 'edits', open: openToEdit, isClosedBefore: true, written: 'NEWERsed' },
  { how: 'writes anew', open: openToRewrite, isClosedBefore: false, written: 'NEWER' },
  { how: 'writes anew', open: openToRewrite, isClosedBefore: true, written: 'NEWER' },
])(
  'who $how what a close had promised has it stored under the new name, closed before the rename ends: $isClosedBefore [rename/crash] [write-back/newest]',
  async ({ open, isClosedBefore, written }) => {
    const { scene, disk } = await killedAfterCopy();
    const look = holdNext(scene.service, 'headObject');
    const next = await mountOver(disk, scene, { settings: { writeBack: true } });
    const fs = next.operations;
    await look.begun;
    const handle = await open(fs, '/f');
    await writeAt(fs, handle, 'NEWER');
    if (isClosedBefore) await fs.flush(handle);

    look.letGo();

    await expect.poll(() => handle.path).toBe('/g');
    await fs.flush(handle);
    await fs.release(handle);
    await drained(next);
    const { files } = await namesBelow(scene.direct, scene.bucket, '');
    expect([...files]).toEqual(['g']);
    expect((await bytesUnder(scene.direct, scene.bucket, 'g'))?.toString()).toBe(written);
    expect(await next.unsent.list()).toEqual([]);
  },
);

it('what a close promises before the rename ends is stored, though its program has the file open still [rename/crash] [write-back/close]', async () => {
  const { scene, disk } = await killedAfterCopy();
  const look = holdNext(scene.service, 'headObject');
  const next = await mountOver(disk, scene, { settings: { writeBack: true } });
  const fs = next.operations;
  await look.begun;
  const handle = await openToEdit(fs, '/f');
  await writeAt(fs, handle, 'NEWER');
  await fs.flush(handle);

  look.letGo();

  const isStored = async (): Promise<unknown> => {
    scene.clock.advance(1000);
    return textsOf(scene);
  };
  await expect.poll(isStored).toEqual({ g: 'NEWERsed' });
  await fs.release(handle);
});

it.each([
  { how: 'writes anew', open: openToRewrite, held: { g: 'NEWER' } },
  { how: 'edits', open: openToEdit, held: { g: 'promised', copy: 'NEWERced' } },
])(
  'who $how what is to be replaced has that stored: an edit beside the file that has taken its place [rename/crash] [conflict/keep-both]',
  async ({ open, held }) => {
    const { scene, disk } = await killedAfterCopy('replaced');
    const look = holdNext(scene.service, 'headObject');
    const next = await mountOver(disk, scene, { settings: { writeBack: true } });
    const fs = next.operations;
    await look.begun;
    const handle = await open(fs, '/g');
    await writeAt(fs, handle, 'NEWER');

    look.letGo();

    await expect.poll(async () => (await next.unsent.list()).map(({ kind }) => kind)).not.toContain('rename');
    await closesWith(held, { scene, next, handle });
  },
);

it.each([
  { written: 'NEWER', held: { g: 'promised', copy: 'NEWERced' } },
  { written: null, held: { g: 'promised' } },
])(
  'who has opened what is to be replaced writes only afterwards, $written: that is beside the file that has taken its place [rename/crash] [conflict/keep-both]',
  async ({ written, held }) => {
    const { scene, disk } = await killedAfterCopy('replaced');
    const look = holdNext(scene.service, 'headObject');
    const next = await mountOver(disk, scene, { settings: { writeBack: true } });
    const fs = next.operations;
    await look.begun;
    const handle = await openToEdit(fs, '/g');

    look.letGo();

    await expect.poll(async () => (await next.unsent.list()).map(({ kind }) => kind)).not.toContain('rename');
    expect((await readFile(fs, '/g')).toString()).toBe('promised');
    if (written !== null) await writeAt(fs, handle, written);
    await closesWith(held, { scene, next, handle });
  },
);

/** Closes `handle`: in the end `g`, and a copy beside it where there is one, are as `held`, and nothing waits. */
async function closesWith(
  held: { readonly g: string; readonly copy?: string },
  { scene, next, handle }: Closing,
): Promise<void> {
  await closing(next.operations, handle, () => Promise.resolve());
  await drained(next);
  const { g, ...copies } = await textsOf(scene);
  const [copy, ...others] = Object.values(copies);
  expect(others).toEqual([]);
  expect(copy === undefined ? { g } : { g, copy }).toEqual(held);
  expect(await next.unsent.list()).toEqual([]);
}

/** With what a close has promised of `f` renamed to `g`, and the process killed when that had been stored there. */
async function killedAfterCopy(replaced?: string): Promise<Killed> {
  let dying: Promise<DiskImage> | undefined;
  const scene = await openForTest({
    settings: { writeBack: true },
    between: (service) =>
      new InterceptedService(service, async ({ operation, key }, proceed) => {
        const answer = await proceed();
        if (operation !== 'putObject' || key !== 'g') return answer;
        // Tried again at the end of the test, it is as dead as before.
        await (dying ??= diskNow(scene));
        throw new Error('the process is dead');
      }),
  });
  await scene.foreignWrite('f', 'old');
  await writeFile(scene.fs, '/f', 'promised');
  if (replaced !== undefined) await writeFile(scene.fs, '/g', replaced);
  await scene.fs.rename('/f', '/g', false).catch(() => undefined);
  const disk = await dying;
  if (disk === undefined) throw new Error('nothing was stored under the new name');
  // What the dead process still undid.
  await scene.foreignWrite('g', 'promised');
  return { scene, disk };
}
