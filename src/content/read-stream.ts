/**
 * Is this handle read from one end to the other, or here and there?
 *
 * The kernel reads ahead with several requests at a time, so neighbours may arrive in the wrong order: a small jump either way
 * does not end a run.
 */

/** How a read fits to those before it. */
export interface ReadPattern {
  readonly sequential: boolean;
  /** The first byte that the run has not asked for yet, at most the read's own start: it is likely to be asked for next. */
  readonly from: number;
}

/** Bytes that a read of a run may be away from the place where it was expected. */
const SLACK = 512 * 1024;
/** Bytes in a row after which a run that did not begin at byte 0 counts as one. */
const RUN = 512 * 1024;

/** One open handle's way through a file. */
export class ReadStream {
  readonly #slack: number;
  readonly #longRun: number;
  /** One past the last byte of the run. */
  #next = 0;
  /** Bytes of the run so far. */
  #run = 0;
  #sequential = true;

  /** Bytes. */
  constructor(slack: number = SLACK, longRun: number = RUN) {
    this.#slack = slack;
    this.#longRun = longRun;
  }

  /** Takes note of a read of bytes [start, end). */
  note(start: number, end: number): ReadPattern {
    const expected = this.#next;
    const slack = this.#sequential ? this.#slack : 0;
    if (start !== 0 && (start > expected + slack || end < expected - slack)) {
      this.#run = end - start;
      this.#next = end;
      this.#sequential = false;
      return { sequential: false, from: start };
    }
    if (start === 0) {
      this.#sequential = true;
      this.#next = Math.max(expected <= this.#slack ? expected : 0, end);
      return { sequential: true, from: 0 };
    }
    this.#run += end - start;
    this.#next = Math.max(expected, end);
    this.#sequential ||= this.#run >= this.#longRun;
    return { sequential: this.#sequential, from: Math.min(start, expected) };
  }
}
