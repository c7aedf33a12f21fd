/** What is a process that serves a mount told? */
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
