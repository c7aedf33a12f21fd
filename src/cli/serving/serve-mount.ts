/** How does a process serve a mount from its first step to its last? The same in front and in the background. */
import { systemClock } from '../../base/clock.ts';
import { RunningClock } from '../../base/running-clock.ts';
import { createKernelDriver } from '../../fuse/kernel/kernel-driver.ts';
import { createNativeDriver } from '../../fuse/native/native-driver.ts';
import type { ExitCode } from '../command-error.ts';
import { exitCodes } from '../command-error.ts';
import { openMemoryReturn } from './memory-return.ts';
import type { Endings } from './endings.ts';
import type { QuietLog } from '../logging/quiet-log.ts';
import type { MountJob } from './mount-job.ts';
import { RecentProblems } from '../logging/recent-problems.ts';
import { ServedMount } from './served-mount.ts';

/** Only this process's owner may read what it writes, whatever the caller's umask was. */
const OWNER_ONLY = 0o077;
/** Finishing has deadlines of its own that add up to less; a process in which nothing moves for so long hangs. */
const FINISH_DEADLINE_MS = 60_000;

/** `tellReady` hears when the mount answers. Resolves with the exit code; rejects when the mount never came up. */
export async function serveMount(
  job: MountJob,
  log: QuietLog,
  endings: Endings,
  tellReady: (warnings: readonly string[]) => void,
): Promise<ExitCode> {
  process.umask(OWNER_ONLY);
  // The caller's directory may have to be unmounted while we live.
  process.chdir('/');
  endings.listen();
  // What is not ready knows nothing yet; but Node starts its debugger at a signal that nobody listens to.
  let refresh = (): void => undefined;
  process.on('SIGUSR1', () => {
    refresh();
  });
  const giveMemoryBack = await openMemoryReturn(systemClock, log);
  const mount = await ServedMount.open(job, {
    clock: systemClock,
    giveMemoryBack,
    log: new RecentProblems(log, systemClock),
    driver: job.settings.driver === 'kernel' ? createKernelDriver() : createNativeDriver(),
    signal: endings.signal,
  });
  log.info('Mounted', { driver: job.settings.driver });
  refresh = () => {
    log.info('Refreshing');
    void mount.refresh();
  };
  tellReady(mount.warnings);
  void mount.closed.then(() => {
    endings.end({ kind: 'unmounted' });
  });
  const ending = await endings.first;
  giveUpWhenStuck(mount, log);
  const code = await mount.finish(ending, endings);
  log.summarise();
  return code;
}

function giveUpWhenStuck(mount: ServedMount, log: QuietLog): void {
  const before = mount.bytesSent;
  RunningClock.of(systemClock).after(FINISH_DEADLINE_MS, () => {
    if (mount.bytesSent !== before) {
      giveUpWhenStuck(mount, log);
      return;
    }
    log.error('Finishing takes too long: giving up');
    log.summarise();
    process.exit(exitCodes.failed);
  });
}
