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
  it('mounts for root, on Linux', async () => {
    await expect(requireKernelDriver({ allowOther: true }, machine, 'linux')).resolves.toBeUndefined();
  });

  it('tells an ordinary user, and everybody elsewhere, to choose the native one', async () => {
    const asUser = requireKernelDriver({ allowOther: false }, { ...machine, isRoot: false }, 'linux');
    const onMac = requireKernelDriver({ allowOther: false }, machine, 'darwin');

    const advice = expect.stringContaining('-o driver=native') as string;
    await expect(asUser).rejects.toMatchObject({ kind: 'permission', message: advice });
    await expect(onMac).rejects.toMatchObject({ kind: 'no-fuse', message: advice });
  });

  it('lets others in, or refuses changes, only when asked', () => {
    expect(mountOptions({ readOnly: true, allowOther: true })).toMatch(/^fd=3,.*,ro,allow_other$/);
    expect(mountOptions({ readOnly: false, allowOther: false })).not.toMatch(/ro,|allow_other/);
  });
});
