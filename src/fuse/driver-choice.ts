/** Which driver does a mount get that asks for none? */
import { endianness } from 'node:os';
import type { Driver } from './driver.ts';

/** Whether the kernel driver can mount on such a machine: it reads and writes the kernel's structures in this byte order alone. */
export function isForKernelDriver(platform: NodeJS.Platform): boolean {
  return platform === 'linux' && endianness() === 'LE';
}

/** The kernel driver where it can mount. */
export function defaultDriver(platform: NodeJS.Platform = process.platform): Driver['name'] {
  return isForKernelDriver(platform) ? 'kernel' : 'native';
}
