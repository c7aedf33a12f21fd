/** Which driver does a mount get that asks for none? */
import { endianness } from 'node:os';
import type { Driver } from './driver.ts';

/** The kernel driver where it can mount: on Linux. */
export function defaultDriver(platform: NodeJS.Platform = process.platform): Driver['name'] {
  return platform === 'linux' && endianness() === 'LE' ? 'kernel' : 'native';
}
