/**
 * How fast may requests leave, while the service refuses some for their number?
 *
 * A 429 says that it does. 503 may say the same, as with S3, or that the service is away: then it answers no others, and those who ask
 * again find out soonest when it is back.
 *
 * Tries that go by themselves are no answer to that: those which have waited longest wait longest again, meet as many others, and
 * are given up, though the service takes some all the time. So requests leave one after another, as fast as the service has
 * answered lately and a little slower; then faster and faster, until it refuses one again. As long as it refuses none, none waits.
 */
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { RunningClock } from '../base/running-clock.ts';
import type { Progress } from './request-body.ts';
import type { Watch } from './watch.ts';

const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;
/** Those that are meant for the number of requests are at least so many, and one for so many other answers. */
const FEWEST_UNAVAILABLE = 3;
const ANSWERS_FOR_ONE = 5;
/** A service that has given other answers within so long is there; one that has given none for so long is away. Milliseconds. */
const THERE_MS = 1_000;
const AWAY_MS = 5_000;
/** Over how long answers are counted, milliseconds: more than the second by which most services count, so that a burst is not taken for what they bear. */
const MEMORY_MS = 5_000;
/** A refusal leaves so much of what was answered, and at least this many requests a second. */
const CUT = 0.7;
const SLOWEST = 4;
/** For how long after a cut nobody cuts again, milliseconds. */
const SETTLING_MS = 1_000;
/** By so much the pace grows in a second: quickly up to a little less than what was refused, then in search of more. */
const REGAINED = 1.5;
const SOUGHT = 1.03;
const NEAR = 0.9;
/** After so long without a refusal requests wait no more, milliseconds. */
const FORGOTTEN_MS = 60_000;

/** What the service bore when it last refused. */
interface Limit {
  /** Milliseconds. */
  readonly at: number;
  /** Requests a second: from which the pace began again, and at which it was refused. */
  readonly begun: number;
  readonly refused: number;
}

/** The pace of all requests of one client. */
export class Pace {
  /** A limit is no less old for a time in which this process stood still. */
  readonly #clock: Clock;
  /** For deadlines. */
  readonly #running: RunningClock;
  readonly #log: Log;

  /** In the order in which they came. */
  readonly #queue: (() => void)[] = [];
  #isLettingGo = false;
  #nextAt = 0;
  /** Null: requests leave as they come. */
  #limit: Limit | null = null;
  /** Answers, and those of 503, of which each counts for less and less. */
  #answers = 0;
  #unavailable = 0;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #countedAt = 0;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#running = RunningClock.of(clock);
    this.#log = log;
  }

  /** Whether the next request is to wait for its `turn`. */
  get isKept(): boolean {
    if (this.#limit !== null && this.#clock.monotonic() - this.#limit.at >= FORGOTTEN_MS) this.#limit = null;
    return this.#limit !== null || this.#queue.length > 0;
  }

  /** Resolves when the request may leave, with that moment: no deadline counts the wait. Rejects with the refusal when the call is given up. */
  async turn(watch: Watch, progress: Pick<Progress, 'at'>): Promise<number> {
    const since = this.#running.monotonic();
    const resume = watch.standStill();
    let leave = (): void => undefined;
    const turn = new Promise<void>((resolve) => (leave = resolve));
    this.#queue.push(leave);
    void this.#letGo();
    try {
      await watch.race(turn);
      progress.at += this.#running.monotonic() - since;
      return this.#clock.monotonic();
    } finally {
      const place = this.#queue.indexOf(leave);
      if (place !== -1) this.#queue.splice(place, 1);
      resume();
    }
  }

  /** The service has answered a request that left at `leftAt`, milliseconds. */
  answered(status: number, leftAt: number): void {
    const now = this.#clock.monotonic();
    this.#age(now);
    if (status === TOO_MANY_REQUESTS) this.#refused(now, leftAt, status);
    else if (status === UNAVAILABLE) this.#unavailableAt(now, leftAt);
    else {
      this.#answers += 1;
      this.#answeredAt = now;
    }
  }

  #unavailableAt(now: number, leftAt: number): void {
    this.#unavailable += 1;
    const silent = now - this.#answeredAt;
    const isShare = this.#unavailable >= Math.max(FEWEST_UNAVAILABLE, this.#answers / ANSWERS_FOR_ONE);
    if (isShare && silent < THERE_MS) this.#refused(now, leftAt, UNAVAILABLE);
    if (silent >= AWAY_MS) this.#limit = null;
  }

  #refused(now: number, leftAt: number, status: number): void {
    const before = this.#limit;
    // What left before, or right after, says nothing of the pace since: the service still counts what came before.
    if (before !== null && leftAt < before.at + SETTLING_MS) return;
    const begun = Math.max(SLOWEST, (this.#answers * CUT * 1000) / MEMORY_MS);
    // At first nobody knows how much too fast it was.
    const refused = before === null ? Number.POSITIVE_INFINITY : Math.max(begun, rateAt(before, now));
    this.#limit = { at: now, begun, refused };
    if (before === null)
      this.#log.warn('The service refuses requests for their number: they leave more slowly', {
        status,
        perSecond: Math.round(begun),
      });
  }

  /** Never rejects. */
  async #letGo(): Promise<void> {
    if (this.#isLettingGo) return;
    this.#isLettingGo = true;
    while (this.#queue.length > 0) {
      // Whole ones: no clock goes on by less than it can tell.
      const wait = Math.ceil(this.#nextAt - this.#clock.monotonic());
      if (wait > 0) {
        await this.#clock.sleep(wait);
        continue;
      }
      const now = this.#clock.monotonic();
      if (this.#limit !== null) this.#nextAt = now + 1000 / rateAt(this.#limit, now);
      this.#queue.shift()?.();
    }
    this.#isLettingGo = false;
  }

  #age(now: number): void {
    const left = Math.exp((this.#countedAt - now) / MEMORY_MS);
    this.#answers *= left;
    this.#unavailable *= left;
    this.#countedAt = now;
  }
}

/** Requests a second. */
function rateAt({ at, begun, refused }: Limit, now: number): number {
  const seconds = (now - at) / 1000;
  const near = Math.max(begun, refused * NEAR);
  const untilNear = Math.log(near / begun) / Math.log(REGAINED);
  return seconds < untilNear ? begun * REGAINED ** seconds : near * SOUGHT ** (seconds - untilNear);
}
