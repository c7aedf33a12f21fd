/** Where do the lines of a mount go? The same in front and in the background. */
import type { Clock } from '../../base/clock.ts';
import { openLog } from '../logging/log-output.ts';
import { QuietLog } from '../logging/quiet-log.ts';
import type { MountJob } from './mount-job.ts';

/** `descriptor`: the log file, open; undefined: lines go to stderr. Where the file is renamed or removed they go into the next one at its path. */
export function openMountLog(
  { bucket, mountpoint, logFile, settings: { debug } }: MountJob,
  descriptor: number | undefined,
  clock: Clock,
): QuietLog {
  const fields = bucket === null ? { mountpoint } : { bucket, mountpoint };
  const followed = logFile === null ? undefined : { path: logFile, clock };
  return new QuietLog(openLog({ descriptor, followed, debug, fields }), clock);
}
