/**
 * How far has the reading of one stretch come, and is it worth going on as before?
 *
 * Not after too many cuts, nor when bytes only drip; and not by Range when answers are crumbs: they bring next to nothing of what is
 * missing. So however a service behaves, what one read asks of it is bounded by the bytes that it wants.
 */
import type { ByteRange } from '../base/byte-range.ts';
import type { RunningClock } from '../base/running-clock.ts';
import type { Pausing } from '../service/object-service.ts';
import type { ObjectHead } from '../service/records.ts';

/** How often a body may be cut in a row without real progress before the reader believes that it always will be; the same for crumbs. */
const MAX_CUTS = 5;
/** Bytes that count as progress, as many as the kernel asks for at once: one byte now and then would go on for ever. */
const PROGRESS = 128 * 1024;
/** Bytes that are worth an answer of their own, though more were asked for: what a service of small blocks may send of each. */
const WORTH_AN_ANSWER = 16 * 1024;
/** Milliseconds without progress after which a read is given up (design §3.11: a read). */
const READ_DEADLINE = 60_000;
/** Milliseconds before the first resumption; doubles with each. */
const FIRST_BACKOFF = 100;

/** One read's, from its first answer to its last. */
export class RangeProgress {
  /** What the sink is given. */
  target: ByteRange;
  /** The first byte not delivered yet. */
  next: number;
  /** Of the first answer. */
  head: ObjectHead | null = null;
  /** An answer to a Range was not what it said it was: what is missing is asked for without. */
  isPlain = false;
  /** An answer to a Range announced no length: the next ones are likely not to either. */
  isUncounted = false;
  /** Whether the last request had a Range. */
  hasAskedForPart = false;
  readonly #clock: Pick<RunningClock, 'monotonic'>;
  #cuts = 0;
  #crumbs = 0;
  /** Running milliseconds of the last progress, or of the beginning. */
  #at: number;
  /** Bytes that have arrived since. */
  #bytesSince = 0;
  /** Since when its time does not count, running milliseconds; null: it does. */
  #stoodSince: number | null = null;

  constructor(target: ByteRange, clock: Pick<RunningClock, 'monotonic'>) {
    this.target = target;
    this.next = target.start;
    this.#clock = clock;
    this.#at = clock.monotonic();
  }

  /** What is still missing. */
  get needed(): ByteRange {
    return { start: this.next, end: this.target.end };
  }

  get isComplete(): boolean {
    return this.next >= this.target.end;
  }

  /** Milliseconds until it is given up unless there is progress. */
  get left(): number {
    return this.#at + READ_DEADLINE - (this.#stoodSince ?? this.#clock.monotonic());
  }

  get isOverdue(): boolean {
    return this.left <= 0;
  }

  /** How many bodies were cut without real progress, less those since that were not. */
  get cuts(): number {
    return this.#cuts;
  }

  /** Whether so many crumbs came in a row that all answers to a Range will be. */
  get isCrumbling(): boolean {
    return this.#crumbs > MAX_CUTS;
  }

  /**
   * An answer to a Range that ends before `end` begins. True when it is a crumb. One alone means little: a service may answer up to
   * where a block of its own ends. Half of what is missing never is one, or the last bytes of a stretch would be.
   */
  noteAnswer(end: number): boolean {
    const isCrumb = end - this.next < Math.min(WORTH_AN_ANSWER, (this.target.end - this.next) / 2);
    this.#crumbs = isCrumb ? this.#crumbs + 1 : 0;
    return isCrumb;
  }

  /** Also bytes that were delivered before a cut and come again: without ranges a large file takes its time to get there. */
  noteArrival(bytes: number): void {
    this.#bytesSince += bytes;
    if (this.#bytesSince < PROGRESS) return;
    this.#at = this.#clock.monotonic();
    this.#bytesSince = 0;
  }

  /** As `pausing`, but the time in which the read waits for its turn, and not for the service, does not count. */
  notCounting(pausing: Pausing): Pausing {
    return async (pause) => {
      await pausing(async () => {
        await pause();
        this.#stoodSince = this.#clock.monotonic();
      });
      this.#at += this.#clock.monotonic() - (this.#stoodSince ?? 0);
      this.#stoodSince = null;
    };
  }

  /** A body that delivered so many bytes came to its end. What was cut may be so again where more is asked for: one step back only. */
  noteEnd(delivered: number): void {
    if (delivered >= PROGRESS) this.#cuts = Math.max(0, this.#cuts - 1);
  }

  /** A body that had delivered so many bytes was cut: milliseconds to wait before the next answer; null when there is to be none. */
  noteCut(delivered: number): number | null {
    this.#cuts = delivered >= PROGRESS ? 1 : this.#cuts + 1;
    if (this.#cuts > MAX_CUTS || this.isOverdue) return null;
    return FIRST_BACKOFF * 2 ** (this.#cuts - 1);
  }
}
