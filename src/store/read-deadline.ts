/**
 * When is a read given up whose requests each have a deadline of their own? Those begin anew with each request: one that is asked for when
 * the time of the whole read is nearly up would double it.
 */
import type { RunningClock } from '../base/running-clock.ts';
import { isRefusal, Refusal } from '../service/refusal.ts';

/** Milliseconds: while a read waits for its turn what is left stays as it is, and may be little. */
const SHORTEST_LOOK = 100;

/** What is left of the time for a read; `RangeProgress` is it. */
export interface TimeLeft {
  /** Milliseconds; more as bytes come. */
  readonly left: number;
}

/** How far a read has come; `RangeProgress` is it. */
export interface Arriving {
  readonly isOverdue: boolean;
  readonly isComplete: boolean;
  noteArrival(bytes: number): void;
}

/** Bytes that drip, in one body or in one answer each, never stall for long, and would hold up the program for hours. */
export function noteArrival(bytes: number, key: string, progress: Arriving): void {
  progress.noteArrival(bytes);
  if (progress.isOverdue && !progress.isComplete) {
    throw new Refusal('timeout', 'the bytes come too slowly', { operation: 'getObject', subject: key });
  }
}

/** As `task` settles under a signal that follows `signal`, but rejects with a `timeout` about `key` when no time is left. */
export async function withinTime<Result>(
  { time, clock, key, signal }: TimeTerms,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const end = new AbortController();
  let cancel: () => void = () => undefined;
  const look = (): void => {
    if (time.left > 0) cancel = clock.after(Math.max(time.left, SHORTEST_LOOK), look);
    else end.abort();
  };
  look();
  try {
    return await task(signal === undefined ? end.signal : AbortSignal.any([signal, end.signal]));
  } catch (error) {
    if (!end.signal.aborted || signal?.aborted === true || !isRefusal(error, 'aborted')) throw error;
    throw new Refusal('timeout', 'the read was not done in time', { operation: 'getObject', subject: key });
  } finally {
    cancel();
  }
}

export interface TimeTerms {
  readonly time: TimeLeft;
  readonly clock: Pick<RunningClock, 'after'>;
  readonly key: string;
  readonly signal: AbortSignal | undefined;
}
