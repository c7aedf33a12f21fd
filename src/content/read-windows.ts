/**
 * How far may each program be read ahead of, so that all of them together stay within the memory?
 *
 * Whoever reads in order gets an equal share. A program that stops reading keeps its file open, perhaps for hours: after a while
 * it gives its share back, and what was fetched for it makes room for others.
 */
import type { Clock } from '../base/clock.ts';
import type { BlockCache } from './block-cache.ts';
import type { ReadRun } from './read-stream.ts';

/** The part of the memory that bytes nobody has asked for yet may take; the rest is for reads here and there. */
const SHARE_OF_CACHE = 3 / 4;
/** Milliseconds: without a read for one to two of these a run is idle. */
const IDLE = 5000;

interface ActiveRun {
  isIdle: boolean;
  /** Whether it is read ahead of. */
  hasWindow: boolean;
  /** Nothing is fetched for it any more. */
  readonly ended: () => void;
}

/** The windows of all readers of a mount. */
export class ReadWindows {
  readonly #clock: Pick<Clock, 'after'>;
  /** Bytes that may be on their way or unread in all. */
  readonly most: number;
  readonly #blockSize: number;
  readonly #active = new Map<ReadRun, ActiveRun>();
  #windows = 0;
  #isWatching = false;

  constructor(clock: Pick<Clock, 'after'>, cache: BlockCache) {
    this.#clock = clock;
    this.most = cache.maxBytes * SHARE_OF_CACHE;
    this.#blockSize = cache.blockSize;
  }

  /** Bytes that each run may have on its way or unread: whole blocks. */
  get share(): number {
    const share = this.most / Math.max(1, this.#windows);
    return share - (share % this.#blockSize);
  }

  /** The run is read. `ended` is called when it is not for a while; not after `leave`. */
  touch(run: ReadRun, ended: () => void): void {
    const active = this.#active.get(run);
    if (active === undefined) this.#active.set(run, { isIdle: false, hasWindow: false, ended });
    else active.isIdle = false;
    this.#watch();
  }

  /** The run, which was touched, is to have its share. */
  open(run: ReadRun): void {
    const active = this.#active.get(run);
    if (active === undefined || active.hasWindow) return;
    active.hasWindow = true;
    this.#windows += 1;
  }

  leave(run: ReadRun): void {
    if (this.#active.get(run)?.hasWindow === true) this.#windows -= 1;
    this.#active.delete(run);
  }

  #watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#clock.after(IDLE, () => {
      this.#isWatching = false;
      for (const [run, active] of this.#active) {
        if (active.isIdle) {
          this.leave(run);
          active.ended();
        }
        active.isIdle = true;
      }
      if (this.#active.size > 0) this.#watch();
    });
  }
}
