/**
 * Does the service honour Range, as far as one mount has seen? The spec does not mention it (§4.8), so answers tell.
 *
 * Once it was honoured, an odd answer is an odd cache on the way, and no reason to fetch whole files from then on.
 */
import type { Log } from '../base/log.ts';

/** Whether the service honours Range, as far as this mount has seen. */
export type RangeSupport = 'unknown' | 'yes' | 'no';

/** With statuses that may mean anything: one may have had another reason, and who believes it reads whole files from then on. */
const REFUSALS_OF_RANGE = 2;

/** Remembered for the life of this object. With `no`, Range is never sent again. */
export class RangeTrust {
  readonly #log: Log;
  #support: RangeSupport = 'unknown';
  /** Requests with a Range, while nobody knows whether any is honoured, that were answered without it. */
  #refused = 0;
  /** Whether an answer has brought just what it said it would. */
  #isProven = false;

  constructor(log: Log) {
    this.#log = log;
  }

  get support(): RangeSupport {
    return this.#support;
  }

  /** Whether an answer was seen to be what it said it was. */
  get isProven(): boolean {
    return this.#isProven;
  }

  /** Headers say that an answer is what was asked for. */
  honoured(): void {
    if (this.#support !== 'yes') this.#believe('yes');
  }

  /** A part has come to its end, and was as long as its headers said. */
  proved(): void {
    this.#isProven = true;
  }

  /** The whole file came, or a request without Range was answered where this was `refusedFor` it, or may have been. */
  ignored(refusedFor: 'range' | 'maybe range' = 'range'): void {
    if (refusedFor === 'maybe range') this.#refused += 1;
    if (refusedFor === 'maybe range' && this.#refused < REFUSALS_OF_RANGE) return;
    if (this.#support !== 'yes') this.#believe('no');
  }

  /** A request without Range was answered, after an answer to one that was not what it said it was. */
  wasNonsense(): void {
    if (!this.#isProven) this.#believe('no');
  }

  /** All answers are crumbs of what was asked for. */
  crumbles(): void {
    this.#believe('no');
  }

  #believe(answer: 'yes' | 'no'): void {
    if (this.#support === answer) return;
    this.#support = answer;
    this.#log.debug(answer === 'yes' ? 'the service honours Range' : 'the service does not honour Range');
  }
}
