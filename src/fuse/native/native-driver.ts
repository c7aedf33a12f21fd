/** How does fuse-native (libfuse 2.9) connect the file system to the kernel? */
import { isMainThread } from 'node:worker_threads';
import { systemClock, type Clock } from '../../base/clock.ts';
import type { FileSystemOperations } from '../../filesystem/operations.ts';
import { MountError, type Driver, type Mounted, type MountOptions } from '../driver.ts';
import { localMachine, requireFuse } from '../fuse-access.ts';
import { prepareMountpoint } from '../mountpoint.ts';
import { raiseReadAhead } from '../read-ahead.ts';
import { loadNativeBinding } from './binding.ts';
import { NativeMount } from './native-mount.ts';
import { LibfuseHandles } from './libfuse-handles.ts';
import { nativeOptionString } from './option-string.ts';
import { Replacements } from './replacements.ts';

/**
 * The driver for Linux and macOS on x64. The process that mounts must never look at its own mount synchronously: it would
 * wait for itself, beyond the reach of SIGKILL. Only for a process's main thread.
 */
export function createNativeDriver(clock: Clock = systemClock): Driver {
  return {
    name: 'native',
    mount: (operations, options) => mountNatively(operations, options, clock),
  };
}

async function mountNatively(
  operations: FileSystemOperations,
  options: MountOptions,
  clock: Clock,
): Promise<Mounted> {
  // The addon lives on the process's first event loop; from any other it takes the process down.
  if (!isMainThread) throw new MountError('failed', 'the native driver mounts from the main thread only');
  const { log } = options;
  const optionString = nativeOptionString(options);
  if (process.platform === 'linux') await requireFuse({ ...options, driver: 'native' }, localMachine());
  const mountpoint = await prepareMountpoint(options.mountpoint, log, clock);
  const handles = new LibfuseHandles(() => clock.monotonic());
  const mount = await NativeMount.open({
    binding: loadNativeBinding(log),
    context: { operations, handles, replacements: new Replacements(clock), log },
    clock,
    mountpoint,
    optionString,
  });
  await raiseReadAhead(mountpoint, log);
  return mount;
}
