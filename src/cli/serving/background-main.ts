/** The process that serves a mount in the background: started by `pailfs mount`, told its job over a private channel. */
import { systemClock } from '../../base/clock.ts';
import type { BackgroundAnswer } from './background.ts';
import { Endings } from './endings.ts';
import { closeInherited } from './inherited-descriptors.ts';
import { failureOf, stackOf } from '../screen/report.ts';
import { serveMount } from './serve-mount.ts';
import type { MountJob } from './mount-job.ts';
import { openMountLog } from './mount-log.ts';

/** Our stderr is the log file as the mount began it, so that the last words of native code land there too. */
const LOG_DESCRIPTOR = 2;

closeInherited();

process.once('message', (message) => {
  // Our own parent, from the same build, sends nothing else.
  void serve(message as MountJob);
});

async function serve(job: MountJob): Promise<void> {
  const { debug } = job.settings;
  const log = openMountLog(job, LOG_DESCRIPTOR, systemClock);
  const endings = new Endings(log);
  let isReady = false;
  process.once('disconnect', () => {
    if (!isReady) endings.end({ kind: 'abandoned' });
  });
  try {
    const code = await serveMount(job, log, endings, (warnings) => {
      isReady = true;
      tell({ kind: 'ready', warnings });
    });
    process.exit(code);
  } catch (error) {
    const { exitCode, message } = failureOf(error);
    log.error('The mount failed', { error });
    log.summarise();
    tell({ kind: 'failed', exitCode, message, stack: debug ? stackOf(error) : null }, () => {
      process.exit(exitCode);
    });
  }
}

function tell(answer: BackgroundAnswer, then: () => void = () => undefined): void {
  if (!process.connected || process.send === undefined) {
    then();
    return;
  }
  process.send(answer, then);
}
