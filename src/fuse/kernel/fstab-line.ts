/** How does root mount for somebody who cannot do it himself? */
import { MOUNT_TYPE } from '../mountpoint.ts';
import type { MountOrder } from './mount-program.ts';

/** The line of /etc/fstab by which root mounts the same at boot, for this user. */
export function fstabLine(order: Omit<MountOrder, 'allowOther'>): string {
  const options = [
    '_netdev',
    'nofail',
    // Root's mount is closed to everybody else.
    'allow_other',
    ...(order.readOnly ? ['ro'] : []),
    `uid=${process.getuid?.() ?? 0}`,
    `gid=${process.getgid?.() ?? 0}`,
    'config=/etc/pailfs.toml',
  ];
  return [escaped(order.source), escaped(order.mountpoint), MOUNT_TYPE, options.join(','), '0', '0'].join(
    ' ',
  );
}

/** As fstab(5) wants it. */
function escaped(field: string): string {
  return field.replaceAll(
    /[\s\\#]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
}
