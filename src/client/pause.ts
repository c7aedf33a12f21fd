/** How does a call wait between two of its tries? Whoever made it may have others go on meanwhile, and then has the call wait for its turn. */
import type { Clock } from '../base/clock.ts';
import type { Pausing } from '../service/object-service.ts';
import type { Progress } from './request-body.ts';
import type { Watch } from './watch.ts';

interface Circumstances {
  readonly watch: Watch;
  readonly progress: Progress;
  readonly clock: Clock;
  readonly pausing: Pausing | undefined;
}

/**
 * Resolves when `wait` milliseconds are over and the caller lets the call go on: the time from one to the other is not the service's, so no deadline
 * counts it. Rejects with the refusal when the call is given up.
 */
export async function pauseFor(
  wait: number,
  { watch, progress, clock, pausing }: Circumstances,
): Promise<void> {
  const sleep = (): Promise<void> => clock.sleep(wait, watch.signal());
  if (pausing === undefined) return sleep();
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
    await watch.race(pausing(pause));
  } finally {
    goOn();
  }
}
