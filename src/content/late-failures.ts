/**
 * Has the GET of these bytes failed a moment ago, after a program had waited long for it?
 *
 * The kernel's read-ahead fails without a word: the kernel asks for the first of the bytes again at once, by the same handle, and only what
 * that fails with is the program's. Without this a program would wait twice as long as the service was given, or, for several reads ahead, several
 * times; and several programs each for what the kernel asks for by the others' handles, too. Whoever opens the file anew asks anew.
 */
import type { ByteRange } from '../base/byte-range.ts';
import type { Clock } from '../base/clock.ts';
import { isRefusal, type Refusal } from '../service/refusal.ts';
import type { ReadStream } from './read-stream.ts';

/** Milliseconds for which a failure is told to a handle that asks for the same bytes again: what the kernel needs for that on a busy machine. */
const MOMENT = 1000;
/** Milliseconds that a GET has taken, whatever it failed with: what takes less may as well be asked for again. */
const LONG = 10_000;

/** A program's read. */
export interface Asker {
  readonly stream: ReadStream;
  /** When it began, monotonic milliseconds. */
  readonly since: number;
}

interface LateFailure {
  readonly range: ByteRange;
  readonly error: Refusal;
  /** Monotonic milliseconds. */
  readonly at: number;
  /** Milliseconds. */
  readonly took: number;
}

/** Those of one version. */
export class LateFailures {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #failures: LateFailure[] = [];

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** The GET of `range`, asked for at `since` (monotonic milliseconds), has failed. */
  note(range: ByteRange, error: unknown, since: number): void {
    const at = this.#clock.monotonic();
    const took = at - since;
    const isLate = isRefusal(error, 'timeout') || took >= LONG;
    if (!isRefusal(error) || error.kind === 'aborted' || !isLate) return;
    this.#failures = [...this.#recent(), { range, error, at, took }];
  }

  /**
   * Throws what the GET has failed with that was to bring the byte at `position` (null: any GET), when `asker` has waited for most of it: by this
   * read or by one before, or, as far as anybody can tell, for what the kernel had asked for by another handle. Who came a moment before it
   * failed has the service asked again. `since`: when the GET began that is under way now, and may bring what those that failed before did not.
   */
  check(position: number | null, asker: Asker, since = Infinity): void {
    if (this.#failures.length === 0) return;
    this.#failures = this.#recent();
    for (const { range, error, at, took } of this.#failures) {
      const isOfThese = position === null || (range.start <= position && position < range.end);
      const { stream } = asker;
      const waited = Math.max(at - asker.since, stream.waitedFor(error), stream.rests.before(at));
      if (isOfThese && since >= at && waited > 0 && waited >= took / 2) throw error;
    }
  }

  #recent(): LateFailure[] {
    const now = this.#clock.monotonic();
    return this.#failures.filter(({ at }) => now - at < MOMENT);
  }
}
