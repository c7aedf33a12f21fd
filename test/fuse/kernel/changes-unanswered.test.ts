/** What does the kernel believe of a name when nobody knows whether it was changed? Nothing: the service may have done it. */
import { describe, expect, it } from 'vitest';
import { expireName } from '../../../src/fuse/kernel/notifications.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { KernelSide, u32, u64 } from './kernel-side.ts';

const ROOT = 1;
const hex = (message: Buffer): string => message.toString('hex');

async function kernelTold(
  ...names: readonly string[]
): Promise<{ readonly files: MemoryFileSystem; readonly kernel: KernelSide }> {
  const files = new MemoryFileSystem();
  const kernel = new KernelSide(files);
  kernel.context.trust.names = true;
  files.trust(60_000);
  for (const name of names) await kernel.make(name);
  return { files, kernel };
}

describe.each(['EIO', 'ETIMEDOUT'] as const)('a change that ends with %s', (code) => {
  it('has the name that was to go looked up again', async () => {
    const { files, kernel } = await kernelTold('f');
    files.fail('unlink', code);

    expect(await kernel.ask('unlink', ROOT, 'f')).toMatchObject({ code });

    expect(kernel.notifications).toContain(hex(expireName(ROOT, 'f')));
  });

  it('has both names of a rename looked up again', async () => {
    const { files, kernel } = await kernelTold('f', 'g');
    files.fail('rename', code);

    expect(await kernel.ask('rename', ROOT, u64(ROOT), 'f', 'g')).toMatchObject({ code });

    for (const name of ['f', 'g']) expect(kernel.notifications).toContain(hex(expireName(ROOT, name)));
  });

  it('has a name that was missing, and was to be made, looked up again', async () => {
    const { files, kernel } = await kernelTold();
    await kernel.ask('lookup', ROOT, 'd');
    files.fail('mkdir', code);

    expect(await kernel.ask('mkdir', ROOT, u32(0o755, 0), 'd')).toMatchObject({ code });

    expect(kernel.notifications).toContain(hex(expireName(ROOT, 'd')));
  });
});

it('a change that is refused leaves the kernel what it knows', async () => {
  const { files, kernel } = await kernelTold('f');
  files.fail('unlink', 'EACCES');

  expect(await kernel.ask('unlink', ROOT, 'f')).toMatchObject({ code: 'EACCES' });

  expect(kernel.notifications).toEqual([]);
});
