/** How does a call wait between two of its tries? Whoever made it may have others go on meanwhile, and then has the call wait for its turn. */
import { describeError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { RunningClock } from '../base/running-clock.ts';
import type { CallOptions } from '../service/object-service.ts';
import type { Progress } from './request-body.ts';
import type { Watch } from './watch.ts';

interface Circumstances extends Pick<CallOptions, 'pausing' | 'isStillMeant'> {
  readonly isUpload: boolean;
  readonly watch: Watch;
  readonly progress: Progress;
  readonly clock: RunningClock;
  readonly log: Log;
}

/**
 * Resolves when `wait` milliseconds are over and the caller lets the call go on, with whether it is still meant: the time from one to the other is not
 * the service's, so no deadline counts it. Rejects with the refusal when the call is given up.
 */
export async function pauseFor(wait: number, circumstances: Circumstances): Promise<boolean> {
  const { watch, progress, clock, pausing, isUpload } = circumstances;
  let isMeant = true;
  const sleep = async (): Promise<void> => {
    await clock.sleep(wait, watch.signal());
    // Asked before the call takes its place in the gate again. The look needs a place, too: if calls that look held all places, none would ever get one.
    if (!isUpload) isMeant = await isMeantNow(circumstances);
  };
  let goOn = (): void => undefined;
  const pause = async (): Promise<void> => {
    await sleep();
    const since = clock.monotonic();
    const resume = watch.standStill();
    goOn = () => {
      progress.at += clock.monotonic() - since;
      resume();
    };
  };
  try {
    await (pausing === undefined ? sleep() : watch.race(pausing(pause)));
  } finally {
    goOn();
  }
  // An upload is asked once more after its turn has come, maybe minutes later. Its look needs a place in another gate.
  return isUpload ? isMeantNow(circumstances) : isMeant;
}

/** False, too, when nobody can tell. */
async function isMeantNow({ watch, isStillMeant, log }: Circumstances): Promise<boolean> {
  if (isStillMeant === undefined) return true;
  try {
    return await watch.race(isStillMeant());
  } catch (error) {
    if (watch.refusal !== null) throw watch.refusal;
    log.debug('A request is not tried again: nobody can tell whether it is still meant', {
      cause: describeError(error),
    });
    return false;
  }
}
