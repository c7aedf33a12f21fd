/** How does the kernel's own protocol connect the file system to the kernel, with nothing between? */
import { systemClock, type Clock } from '../../base/clock.ts';
import type { FileSystemOperations } from '../../filesystem/operations.ts';
import { MountError, type Driver, type Mounted, type MountOptions } from '../driver.ts';
import { isForKernelDriver } from '../driver-choice.ts';
import { localMachine, requireFuse, type FuseMachine } from '../fuse-access.ts';
import { prepareMountpoint } from '../mountpoint.ts';
import { raiseReadAhead } from '../read-ahead.ts';
import { KernelMount } from './kernel-mount.ts';

/**
 * The driver for Linux. The process that mounts must never look at its own mount synchronously: it would wait for
 * itself, beyond the reach of SIGKILL.
 */
export function createKernelDriver(clock: Clock = systemClock): Driver {
  return {
    name: 'kernel',
    mount: (operations, options) => mountByKernel(operations, options, clock),
  };
}

/** Rejects with a `MountError` that says what to do where this driver cannot mount. */
export async function requireKernelDriver(
  options: Pick<MountOptions, 'allowOther'>,
  machine: FuseMachine,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  if (!isForKernelDriver(platform)) {
    throw new MountError('no-fuse', 'the kernel driver is for Linux only: choose "-o driver=native"');
  }
  await requireFuse({ ...options, driver: 'kernel' }, machine);
}

async function mountByKernel(
  operations: FileSystemOperations,
  options: MountOptions,
  clock: Clock,
): Promise<Mounted> {
  await requireKernelDriver(options, localMachine());
  const mountpoint = await prepareMountpoint(options.mountpoint, options.log, clock);
  const mount = await KernelMount.open({ operations, options: { ...options, mountpoint }, clock });
  await raiseReadAhead(mountpoint, options.log);
  return mount;
}
