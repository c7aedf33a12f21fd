/** SEMANTICS: what a close has promised before the mount was killed (`--write-back`), when programs write to it before it is stored. */
import { describe, expect, it } from 'vitest';
import type { MountedFileSystem } from '../../src/filesystem/open-file-system.ts';
import { diskNow, mountOver, type DiskImage } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { draftText } from '../support/draft-bytes.ts';
import { openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { edit, openToEdit, openToRewrite, setXattr, writeAt, xattr } from '../support/program-acts.ts';
import { textOf } from '../support/stored-state.ts';

const settings = { writeBack: true } as const;

interface Left {
  readonly scene: FileSystemForTest;
  readonly disk: DiskImage;
  /** The mount that found it, which cannot store it. */
  readonly next: MountedFileSystem;
}

async function leftBehind(content: string): Promise<Left> {
  const scene = await openForTest({ settings });
  await writeFile(scene.fs, '/f', content);
  const disk = await diskNow(scene);
  scene.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 503 } });
  return { scene, disk, next: await mountOver(disk, scene) };
}

/** The mount after that, when all that it found is done. */
async function last({ scene, disk }: Left): Promise<MountedFileSystem> {
  const image = await diskNow({ stateDirectory: disk.directory });
  scene.faults.clear();
  const mounted = await mountOver(image, scene);
  await drained(mounted);
  return mounted;
}

describe('a mount without write-back that finds what was promised, and is killed', () => {
  it('when a program has emptied the file: it is stored as it was [write-back/crash] [crash/promised]', async () => {
    const left = await leftBehind('promised');
    const handle = await openToRewrite(left.next.operations, '/f');

    const { setAside } = await last(left);

    expect(await textOf(left.scene, 'f')).toBe('promised');
    expect(setAside).toEqual([]);
    await left.next.operations.release(handle).catch(() => undefined);
  });

  it('when a program writes to the file: it is stored as it was, and half a file is set aside [crash/half]', async () => {
    const left = await leftBehind('promised');
    const handle = await openToEdit(left.next.operations, '/f');
    await writeAt(left.next.operations, handle, 'HALF');

    const { setAside } = await last(left);

    expect(await textOf(left.scene, 'f')).toBe('promised');
    expect(setAside).toMatchObject([{ key: 'f' }]);
    expect(await draftText(setAside[0]?.file ?? '')).toBe('HALFised');
    await left.next.operations.release(handle).catch(() => undefined);
  });

  it('when a program has closed other content, though with an error: that is stored', async () => {
    const left = await leftBehind('promised');
    await expect(writeFile(left.next.operations, '/f', 'later')).rejects.toMatchObject({ code: 'EIO' });

    const { setAside } = await last(left);

    expect(await textOf(left.scene, 'f')).toBe('later');
    expect(setAside).toEqual([]);
  });
});

describe('a mount without write-back that finds what was promised', () => {
  it('stores what a program closes in its place, and says what the service says [write/close]', async () => {
    const { scene, next } = await leftBehind('promised');
    const handle = await openToEdit(next.operations, '/f');
    await writeAt(next.operations, handle, 'later', 8);
    await expect(next.operations.flush(handle)).rejects.toMatchObject({ code: 'EIO' });
    scene.faults.clear();

    await next.operations.flush(handle);

    expect(await textOf(scene, 'f')).toBe('promisedlater');
    await next.operations.release(handle);
    expect(await next.unsent.list()).toEqual([]);
    expect((await readFile(next.operations, '/f')).toString()).toBe('promisedlater');
  });
});

it('a type that was set is stored after a kill though the bytes are the same [xattr/draft]', async () => {
  const scene = await openForTest({ settings });
  await writeFile(scene.fs, '/f.txt', 'text');
  await drained(scene.mounted);
  await setXattr(scene.fs, '/f.txt', 'user.mime_type', 'text/x-special');

  await drained(await mountOver(await diskNow(scene), scene));

  expect(await scene.direct.headObject(scene.bucket, 'f.txt')).toMatchObject({
    contentType: 'text/x-special',
  });
});

it('an edit whose second try had arrived when the mount was killed is no conflict [crash/unknown]', async () => {
  const scene = await openForTest();
  await scene.foreignWrite('f', 'base');
  scene.faults.add({ operation: 'putObject', fault: { kind: 'status', status: 402 } });
  await expect(edit(scene.fs, '/f', 'B', 0)).rejects.toMatchObject({ code: 'EDQUOT' });
  const disk = await diskNow(scene);
  await scene.foreignWrite('f', 'Base');

  const next = await mountOver(disk, scene);
  await drained(next);

  expect(await xattr(next.operations, '/f', 'user.pailfs.state')).toBe('clean');
  expect((await scene.direct.listObjects(scene.bucket, { folder: '' })).objects).toHaveLength(1);
});
