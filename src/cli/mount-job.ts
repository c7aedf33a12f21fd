/** What is a process that serves a mount told? */
import type { MountSettings } from './settings.ts';

/** Everything that a serving process is told; plain data, so that it can be sent to one. */
export interface MountJob {
  /** Name or identifier. */
  readonly bucket: string;
  /** Canonical. */
  readonly mountpoint: string;
  readonly settings: MountSettings;
  /** For the record; null when lines go to stderr. */
  readonly logFile: string | null;
}
