/** How does root connect a mountpoint? By mount(8), which inherits a descriptor of /dev/fuse: mount(2) is out of reach from here. */
import { closeSync, openSync } from 'node:fs';
import { describeError } from '../../base/errors.ts';
import { MountError, type MountOptions } from '../driver.ts';
import { FUSE_DEVICE } from '../fuse-access.ts';
import { MOUNT_TYPE } from '../mountpoint.ts';
import { INHERITED, lastWords, runInheriting } from './inheriting-program.ts';
import { mountWords } from './mount-words.ts';

/** The mountpoint is canonical. */
export type MountOrder = Pick<MountOptions, 'mountpoint' | 'source' | 'readOnly' | 'allowOther' | 'noexec'>;

/** The descriptor through which the mount is served; it answers nothing yet. Rejects with a `MountError`, and nothing is mounted. */
export async function mountAsRoot(order: MountOrder): Promise<number> {
  const descriptor = openDevice();
  try {
    await mountDescriptor(order, descriptor);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function openDevice(): number {
  try {
    return openSync(FUSE_DEVICE, 'r+');
  } catch (error) {
    throw new MountError('no-fuse', `${FUSE_DEVICE} cannot be opened: ${describeError(error)}`, {
      cause: error,
    });
  }
}

async function mountDescriptor(order: MountOrder, descriptor: number): Promise<void> {
  const parameters = [
    '-i',
    '-t',
    MOUNT_TYPE,
    '-o',
    mountOptions(order),
    '--',
    order.source,
    order.mountpoint,
  ];
  const end = await runInheriting({ program: 'mount', parameters, descriptor });
  if (end.exit === 0) return;
  if (end.exit === 'missing') throw new MountError('no-fuse', 'the program mount is missing');
  const reason = lastWords(end, 'mount') || 'mount said no';
  throw new MountError('failed', `${order.mountpoint} could not be mounted: ${reason}`);
}

/** The `-o` of mount(8): numbers and words without a comma. */
export function mountOptions(options: Pick<MountOptions, 'readOnly' | 'allowOther' | 'noexec'>): string {
  return [
    `fd=${INHERITED}`,
    'rootmode=40755',
    `user_id=${process.getuid?.() ?? 0}`,
    `group_id=${process.getgid?.() ?? 0}`,
    ...mountWords(options),
  ].join(',');
}
