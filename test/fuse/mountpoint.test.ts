import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { requireFuse, type FuseMachine } from '../../src/fuse/fuse-access.ts';
import { prepareMountpoint } from '../../src/fuse/mountpoint.ts';
import { unmountDirectory } from '../../src/fuse/unmount.ts';

describe('a directory to mount upon', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'pailfs-mountpoint-')));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is known by its canonical path', async () => {
    await mkdir(path.join(folder, 'real'));
    await symlink(path.join(folder, 'real'), path.join(folder, 'link'));

    expect(await prepareMountpoint(path.join(folder, 'link', '.'), silentLog)).toBe(
      path.join(folder, 'real'),
    );
  });

  it('must exist, be a directory and be empty; each refusal says what to do', async () => {
    await writeFile(path.join(folder, 'file'), '');

    await expect(prepareMountpoint(path.join(folder, 'none'), silentLog)).rejects.toMatchObject({
      kind: 'missing-mountpoint',
      message: expect.stringContaining('mkdir -p') as string,
    });
    await expect(prepareMountpoint(path.join(folder, 'file'), silentLog)).rejects.toMatchObject({
      kind: 'not-a-directory',
    });
    await expect(prepareMountpoint(path.join(folder, 'file', 'below'), silentLog)).rejects.toMatchObject({
      kind: 'not-a-directory',
    });
    await expect(prepareMountpoint(folder, silentLog)).rejects.toMatchObject({ kind: 'not-empty' });
    await symlink('circle', path.join(folder, 'circle'));
    await expect(prepareMountpoint(path.join(folder, 'circle'), silentLog)).rejects.toThrow('(ELOOP)');
  });

  it('must not have something else mounted', async () => {
    await expect(prepareMountpoint('/proc', silentLog)).rejects.toMatchObject({
      kind: 'already-mounted',
      message: expect.stringContaining('(proc)') as string,
    });
  });

  it('that has nothing mounted is unmounted already', async () => {
    await expect(unmountDirectory(folder, { lazy: false })).resolves.toBeUndefined();
  });
});

describe('a machine to mount on', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'pailfs-machine-'));
    await writeFile(path.join(folder, 'fuse'), '');
    await writeFile(path.join(folder, 'fuse.conf'), '# user_allow_other\nmount_max = 10\n');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const machine = (change: Partial<FuseMachine>): FuseMachine => ({
    device: path.join(folder, 'fuse'),
    configuration: path.join(folder, 'fuse.conf'),
    isRoot: false,
    hasProgram: () => Promise.resolve(true),
    ...change,
  });

  it('needs the device', async () => {
    await expect(
      requireFuse({ allowOther: false, driver: 'native' }, machine({ device: path.join(folder, 'none') })),
    ).rejects.toMatchObject({ kind: 'no-fuse', message: expect.stringContaining('modprobe') as string });
    await expect(requireFuse({ allowOther: false, driver: 'native' }, machine({}))).resolves.toBeUndefined();
  });

  it('needs fusermount, unless root mounts', async () => {
    const hasProgram = (): Promise<boolean> => Promise.resolve(false);

    await expect(
      requireFuse({ allowOther: false, driver: 'native' }, machine({ hasProgram })),
    ).rejects.toMatchObject({
      kind: 'no-fuse',
      message: expect.stringContaining('fuse3') as string,
    });
    await expect(
      requireFuse({ allowOther: false, driver: 'native' }, machine({ hasProgram, isRoot: true })),
    ).resolves.toBe(undefined);
  });

  it('lets others in only where its configuration says so, or for root', async () => {
    await expect(requireFuse({ allowOther: true, driver: 'native' }, machine({}))).rejects.toMatchObject({
      kind: 'permission',
      message: expect.stringContaining('user_allow_other') as string,
    });
    await expect(
      requireFuse({ allowOther: true, driver: 'native' }, machine({ isRoot: true })),
    ).resolves.toBeUndefined();
    await writeFile(path.join(folder, 'fuse.conf'), 'user_allow_other\n');
    await expect(requireFuse({ allowOther: true, driver: 'native' }, machine({}))).resolves.toBeUndefined();
  });
});
