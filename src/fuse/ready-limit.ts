/** How long may the kernel take until it has a new mount answer? */
import type { Clock } from '../base/clock.ts';
import { RunningClock } from '../base/running-clock.ts';

/** Milliseconds in which this process could run: in no others could it hear the kernel. */
const READY_LIMIT_MS = 20_000;

type Begin<Result> = (resolve: (result: Result) => void, reject: (error: Error) => void) => void;

/** Settles as `begin`, which is called at once, says; rejects with `tooLate()` when it says nothing in time, or as `begin` throws. */
export async function withinReadyLimit<Result>(
  clock: Clock,
  tooLate: () => Error,
  begin: Begin<Result>,
): Promise<Result> {
  let cancel: () => void = () => undefined;
  try {
    return await new Promise<Result>((resolve, reject) => {
      cancel = RunningClock.of(clock).after(READY_LIMIT_MS, () => {
        reject(tooLate());
      });
      begin(resolve, reject);
    });
  } finally {
    cancel();
  }
}
