/** What is a process that serves a mount told? */
import type { LogFields } from '../../base/log.ts';
import type { MountSettings } from '../settings/settings.ts';

/** Everything that a serving process is told; plain data, so that it can be sent to one. */
export interface MountJob {
  /** Name or identifier; null: all of the account. */
  readonly bucket: string | null;
  /** Canonical. */
  readonly mountpoint: string;
  readonly settings: MountSettings;
  /** For the record; null when lines go to stderr. */
  readonly logFile: string | null;
}

/** What each line of the mount's log says. */
export function logFieldsOf({ bucket, mountpoint }: MountJob): LogFields {
  return bucket === null ? { mountpoint } : { bucket, mountpoint };
}
