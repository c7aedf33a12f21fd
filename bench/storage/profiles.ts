/** Over which networks is everything measured? */

import type { Pace } from '../network/line.ts';

/** What stands between every client and the store. */
export interface Profile extends Pace {
  /** As it stands in a workload's name. */
  readonly name: string;
}

/** A machine in the same building. */
export const NEAR: Profile = { name: '1 ms', latencyMs: 1, bytesPerSecond: null };
/** A service some countries away. */
export const FAR: Profile = { name: '25 ms', latencyMs: 25, bytesPerSecond: 60e6 };
export const PROFILES: readonly Profile[] = [NEAR, FAR];
