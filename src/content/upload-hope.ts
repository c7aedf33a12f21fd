/**
 * Is it worth while to wait for the room of bytes that are on their way to the service? Not once uploads have only failed for a while;
 * but also for a moment after bytes have arrived, which are still here.
 */
import type { Clock } from '../base/clock.ts';
import { RunningClock } from '../base/running-clock.ts';

/** Bytes that have arrived at the service are on the disk for as long as it takes to note that down; a slow disk takes a while. */
const NOTING_MS = 1000;
/** While uploads have done nothing but fail for so long, nobody waits for them: that may go on for days. */
const HOPE_MS = 60_000;

/** That of one mount. By time in which the process could run: in no other does anything arrive, or is noted down. */
export class UploadHope {
  readonly #clock: RunningClock;
  readonly #ended: () => void;
  #uploading = 0;
  /** Set as long as uploads have only failed since one arrived. Ends that. */
  #endFailing: (() => void) | null = null;
  #haveLongFailed = false;
  /** Set for a moment after bytes have stopped to be on their way. Ends that. */
  #endNoting: (() => void) | null = null;

  /** `ended` is called when what was worth while is not so any more, with time alone. */
  constructor(clock: Clock, ended: () => void) {
    this.#clock = RunningClock.of(clock);
    this.#ended = ended;
  }

  /** Whether uploads have only failed for a while, and none is under way. */
  get isGone(): boolean {
    return this.#haveLongFailed && this.#uploading === 0;
  }

  /** Whether bytes have just stopped to be on their way, and may still go from the disk. */
  get isJustArrived(): boolean {
    return this.#endNoting !== null;
  }

  /** An upload begins. Call what is returned when it has ended. */
  uploading(): (hasArrived: boolean) => void {
    this.#uploading += 1;
    return (hasArrived) => {
      this.#uploading -= 1;
      if (hasArrived) this.renew();
      else this.#failed();
    };
  }

  /** An upload has arrived, or nothing is on its way any more: what failed before says nothing of what comes. */
  renew(): void {
    this.#endFailing?.();
    this.#endFailing = null;
    this.#haveLongFailed = false;
  }

  /** Bytes have stopped to be on their way. */
  arrived(): void {
    this.#endNoting?.();
    this.#endNoting = this.#clock.after(NOTING_MS, () => {
      this.#endNoting = null;
      this.#ended();
    });
  }

  #failed(): void {
    this.#endFailing ??= this.#clock.after(HOPE_MS, () => {
      this.#haveLongFailed = true;
      this.#ended();
    });
  }
}
