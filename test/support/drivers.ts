/** With which drivers do tests mount here? */
import type { Driver } from '../../src/fuse/driver.ts';

export type DriverName = Driver['name'];

/** The kernel driver mounts for root only. */
export const DRIVERS: readonly DriverName[] = process.getuid?.() === 0 ? ['kernel', 'native'] : ['native'];

/** What a mount gets that does not ask for one. */
export const DEFAULT_DRIVER: DriverName = DRIVERS[0] ?? 'native';
