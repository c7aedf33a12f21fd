/**
 * Is this handle read from one end to the other, at several places at once, or here and there?
 *
 * The kernel reads ahead with several requests at a time, so neighbours may arrive in the wrong order: a small jump either way
 * does not end a run; nor does a jump forward to what has been asked for already. Nor does it ask for pages that it has: of a file that
 * was written in pieces, every second one may be missing there, and a program that reads it in order is seen to leave out the others.
 */
import { StreamRests } from './stream-rests.ts';

/** How a read fits to those before it. */
export interface ReadPattern {
  readonly sequential: boolean;
  /** The first byte that the run has not asked for yet, at most the read's own start: it is likely to be asked for next. */
  readonly from: number;
  readonly run: ReadRun;
}

/** Bytes that a read of a run may be away from the place where it was expected. */
const SLACK = 512 * 1024;
/** Bytes in a row after which a run that did not begin at byte 0 counts as one. */
const RUN = 512 * 1024;
/** Of the slack: what a run that is none yet may leave out between two reads. Less than a block, so the GETs bring that anyway. */
const GAP = 1 / 8;
/** Places of one handle that are followed at the same time: programs with threads, and those that read an index beside its data. */
const MOST_RUNS = 4;

/** Reads that follow each other, and what is fetched for those to come. */
export class ReadRun {
  readonly start: number;
  /** One past the last byte. */
  next: number;
  /** Bytes so far, with what was left out between reads. */
  length = 0;
  sequential: boolean;
  /** Parts that may be on their way or unread. */
  parts = 1;
  /** Where the part begins that was entered last. */
  entered: number;
  /** One past the last byte that was asked for ahead of the reads. */
  until: number;

  constructor(start: number) {
    this.start = start;
    this.next = start;
    this.entered = start;
    this.until = start;
    this.sequential = start === 0;
  }
}

/** One open handle's way through a file. */
export class ReadStream {
  readonly #slack: number;
  readonly #longRun: number;
  /** When nobody read. */
  readonly rests = new StreamRests();
  /** What reads have failed with; null: nothing. */
  #failures: WeakMap<Error, number> | null = null;
  /** The one that was not read for longest first. */
  #runs: ReadRun[] = [new ReadRun(0)];

  /** Bytes. */
  constructor(slack: number = SLACK, longRun: number = RUN) {
    this.#slack = slack;
    this.#longRun = longRun;
  }

  /** Takes note of a read of bytes [start, end). */
  note(start: number, end: number): ReadPattern {
    const run = this.#runs.findLast((known) => this.#continues(known, start, end)) ?? this.#begin(start);
    // The first one is only a guess until something is read of it.
    this.#runs = [...this.#runs.filter((known) => known !== run && known.length > 0), run];
    const from = Math.min(start, run.next);
    const isFirst = run.length === 0;
    run.length += end - (isFirst ? start : from);
    run.next = Math.max(run.next, end);
    run.sequential ||= !isFirst && run.length >= this.#longRun;
    return { sequential: run.sequential, from, run };
  }

  /** A read has failed with `error`, for which it had waited so many milliseconds. */
  noteFailure(error: unknown, waited: number): void {
    if (!(error instanceof Error)) return;
    this.#failures ??= new WeakMap();
    this.#failures.set(error, Math.max(waited, this.waitedFor(error)));
  }

  /** How long a read that has failed with `error` had waited, at most, milliseconds; 0: none has. */
  waitedFor(error: Error): number {
    return this.#failures?.get(error) ?? 0;
  }

  #continues(run: ReadRun, start: number, end: number): boolean {
    if (!run.sequential) {
      return run.start <= start && start <= run.next + this.#slack * GAP && run.next <= end;
    }
    return start <= Math.max(run.next + this.#slack, run.until) && end >= run.next - this.#slack;
  }

  #begin(start: number): ReadRun {
    if (this.#runs.length === MOST_RUNS) this.#runs.shift();
    return new ReadRun(start);
  }
}
