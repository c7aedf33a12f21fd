/** What is a process that serves a mount told? */
import type { Clock } from '../../base/clock.ts';
import type { LogFields } from '../../base/log.ts';
import type { Followed } from '../logging/log-file.ts';
import type { MountSettings } from '../settings/settings.ts';

/** Everything that a serving process is told; plain data, so that it can be sent to one. */
export interface MountJob {
  /** Name or identifier; null: all of the account. */
  readonly bucket: string | null;
  /** Canonical. */
  readonly mountpoint: string;
  readonly settings: MountSettings;
  /** Null when lines go to stderr. */
  readonly logFile: string | null;
}

/** The file that its lines go into, which may be renamed or removed while it goes on. */
export function followedLog({ logFile: path }: MountJob, clock: Clock): Followed | undefined {
  return path === null ? undefined : { path, clock };
}

/** What each line of the mount's log says. */
export function logFieldsOf({ bucket, mountpoint }: MountJob): LogFields {
  return bucket === null ? { mountpoint } : { bucket, mountpoint };
}
