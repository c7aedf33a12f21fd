/** With which drivers do tests mount here? */
import type { Driver } from '../../src/fuse/driver.ts';
import { defaultDriver } from '../../src/fuse/driver-choice.ts';

export type DriverName = Driver['name'];

/** What a mount gets that does not ask for one. */
export const DEFAULT_DRIVER: DriverName = defaultDriver();

/** The kernel driver is the default wherever it can mount. */
export const DRIVERS: readonly DriverName[] = DEFAULT_DRIVER === 'kernel' ? ['kernel', 'native'] : ['native'];
