/** Who plays scenes? Mounts, plain requests, and programs on the local disk. */
import type { MountSubject } from '../mounts/subjects.ts';
import type { Step } from './scenes.ts';

/** A mount, plain HTTP so many requests at a time, or programs on the local disk. */
export type Player =
  | MountSubject
  | { readonly name: string; readonly width: number }
  | { readonly name: string; readonly isLocalDisk: true };

/** The names of rivals, for bars. */
export const FLOOR_1 = 'floor, 1 at a time';
export const FLOOR_8 = 'floor, 8 at a time';
export const LOCAL_DISK = 'local disk';
export const BEST_PEER = 'best peer';

/** Those that are no mounts. */
export const OTHERS: readonly Player[] = [
  { name: FLOOR_1, width: 1 },
  { name: FLOOR_8, width: 8 },
  { name: LOCAL_DISK, isLocalDisk: true },
];

/** Whether it has a way to do it. */
export function canPlay(player: Player, step: Step): boolean {
  if ('serving' in player) return true;
  if ('isLocalDisk' in player) return step.onDisk !== undefined;
  return step.onFloor !== undefined && (step.floorWidths?.includes(player.width) ?? true);
}
