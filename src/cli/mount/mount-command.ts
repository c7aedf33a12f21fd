/** `pailfs mount`: in front or in the background. */
import { systemClock } from '../../base/clock.ts';
import { mountInBackground } from '../serving/background.ts';
import type { ExitCode } from '../command-error.ts';
import { exitCodes } from '../command-error.ts';
import { Endings } from '../serving/endings.ts';
import { openMountLog } from '../serving/mount-log.ts';
import type { MountWish, PreparedMount } from './prepare-mount.ts';
import { prepareMount } from './prepare-mount.ts';
import { sayToPerson } from '../screen/report.ts';

/** Resolves when the mount is ready (background) or over (`-f`). Rejects with a `CommandError` or `MountError`. */
export async function runMount(wish: MountWish): Promise<ExitCode> {
  const prepared = await prepareMount(wish);
  if (wish.settings.foreground) return serveInFront(prepared);
  const { job, logDescriptor } = prepared;
  if (logDescriptor === undefined) throw new Error('a mount in the background needs a log file');
  for (const warning of await mountInBackground(job, logDescriptor)) sayToPerson(`warning: ${warning}`);
  return exitCodes.done;
}

async function serveInFront({ job, logDescriptor }: PreparedMount): Promise<ExitCode> {
  // In the background another process serves: this one would load for nothing what that takes.
  const { serveMount } = await import('../serving/serve-mount.ts');
  const log = openMountLog(job, logDescriptor, systemClock);
  return serveMount(job, log, new Endings(log), () => undefined);
}
