/** Which options does every mount of this driver have, whoever connects it? */
import type { MountOptions } from '../driver.ts';

/** Of mount(8) and of fusermount. The kernel judges modes; nothing on a bucket is a device, or runs as somebody else. */
export function mountWords({
  readOnly,
  allowOther,
  noexec = false,
}: Pick<MountOptions, 'readOnly' | 'allowOther' | 'noexec'>): readonly string[] {
  return [
    'default_permissions',
    'nosuid',
    'nodev',
    ...(noexec ? ['noexec'] : []),
    ...(readOnly ? ['ro'] : []),
    ...(allowOther ? ['allow_other'] : []),
  ];
}
