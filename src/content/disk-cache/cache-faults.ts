/** What comes of an error of the disk cache's disk? A line in the log, and for a while nothing is written: reads go on by requests. */
import { describeError } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';

/** For so long nothing is kept after the disk has failed. */
const PAUSE_MS = 60_000;

export interface CacheFaultsParts {
  readonly directory: string;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Log;
}

/** Those of one disk cache. No method rejects. */
export class CacheFaults {
  readonly #parts: CacheFaultsParts;
  #pausedUntil = -Infinity;

  constructor({ directory, clock, log }: CacheFaultsParts) {
    this.#parts = { directory, clock, log };
  }

  /** Whether nothing is to be written now. */
  get arePausing(): boolean {
    return this.#parts.clock.monotonic() < this.#pausedUntil;
  }

  /** Runs what may fail. */
  async orLog(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.tell(error);
    }
  }

  /** The same with what writes, after whose failure there is a pause. False: it has failed. */
  async orPause(action: () => Promise<void>): Promise<boolean> {
    try {
      await action();
      return true;
    } catch (error) {
      this.#pausedUntil = this.#parts.clock.monotonic() + PAUSE_MS;
      this.tell(error);
      return false;
    }
  }

  tell(error: unknown): void {
    const { log, directory } = this.#parts;
    log.warn('the disk cache failed; what it has not is downloaded', {
      directory,
      cause: describeError(error),
    });
  }
}
