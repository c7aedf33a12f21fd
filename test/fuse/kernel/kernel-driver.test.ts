import { describe, expect, it } from 'vitest';
import { requireKernelDriver } from '../../../src/fuse/kernel/kernel-driver.ts';
import { mountOptions } from '../../../src/fuse/kernel/mount-program.ts';

const machine = {
  device: '/dev/null',
  configuration: '/nowhere/fuse.conf',
  isRoot: true,
  hasProgram: () => Promise.resolve(true),
};

describe('the kernel driver', () => {
  it('mounts on Linux, for root and, where a fusermount is there, for everybody', async () => {
    const asRoot = { ...machine, hasProgram: () => Promise.resolve(false) };
    const asUser = { ...machine, isRoot: false };
    const newest = { ...asUser, hasProgram: (name: string) => Promise.resolve(name === 'fusermount3') };
    const without = { ...asUser, hasProgram: () => Promise.resolve(false) };

    await expect(requireKernelDriver({ allowOther: true }, asRoot, 'linux')).resolves.toBeUndefined();
    await expect(requireKernelDriver({ allowOther: false }, newest, 'linux')).resolves.toBeUndefined();
    await expect(requireKernelDriver({ allowOther: false }, without, 'linux')).rejects.toMatchObject({
      kind: 'no-fuse',
      message: expect.stringContaining('fuse3') as string,
    });
  });

  it('tells everybody elsewhere to choose the native one', async () => {
    await expect(requireKernelDriver({ allowOther: false }, machine, 'darwin')).rejects.toMatchObject({
      kind: 'no-fuse',
      message: expect.stringContaining('-o driver=native') as string,
    });
  });

  it('lets others in, or refuses changes, only when asked', () => {
    expect(mountOptions({ readOnly: true, allowOther: true })).toMatch(/^fd=3,.*,ro,allow_other$/);
    expect(mountOptions({ readOnly: false, allowOther: false })).not.toMatch(/ro,|allow_other/);
  });
});
