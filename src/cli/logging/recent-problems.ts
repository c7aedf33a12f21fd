/** What went wrong lately, in words? The last warnings and errors of the log, kept for `pailfs status`. */
import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import type { Log, LogFields } from '../../base/log.ts';
import { oneLine } from '../command-error.ts';

const MOST_KEPT = 5;

export interface Problem {
  /** ISO 8601: the last time. */
  readonly at: string;
  /** How often, one after the other. */
  readonly times: number;
  readonly text: string;
}

/** A log that passes every line on. */
export class RecentProblems implements Log {
  readonly #log: Log;
  readonly #clock: Pick<Clock, 'now'>;
  /** The oldest first. */
  #problems: readonly Problem[] = [];

  constructor(log: Log, clock: Pick<Clock, 'now'>) {
    this.#log = log;
    this.#clock = clock;
  }

  /** The latest first. */
  get latest(): readonly Problem[] {
    return this.#problems.toReversed();
  }

  get hidesDebug(): boolean | undefined {
    return this.#log.hidesDebug;
  }

  debug(message: string, fields?: LogFields): void {
    this.#log.debug(message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#log.info(message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#note(message, fields);
    this.#log.warn(message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#note(message, fields);
    this.#log.error(message, fields);
  }

  #note(message: string, fields: LogFields = {}): void {
    const text = inWords(message, fields);
    const last = this.#problems.at(-1);
    const isAgain = last?.text === text;
    const times = isAgain ? last.times + 1 : 1;
    const before = isAgain ? this.#problems.slice(0, -1) : this.#problems;
    const at = new Date(this.#clock.now()).toISOString();
    this.#problems = [...before, { at, times, text }].slice(-MOST_KEPT);
  }
}

/** What happened, to what, and why. */
function inWords(message: string, fields: LogFields): string {
  const named = fields['path'] ?? fields['key'] ?? fields['folder'];
  const what = typeof named === 'string' ? inBucket(fields['bucket'], named) : '';
  const why = fields['reason'] ?? fields['cause'] ?? fields['error'];
  const parts = [message, what, why === undefined ? '' : textOf(why)];
  return oneLine(parts.filter((part) => part !== '').join(': '));
}

/** In a mount of all buckets each line of a bucket names it. */
export function inBucket(bucket: unknown, what: string): string {
  if (typeof bucket !== 'string') return what;
  return what.startsWith('/') ? `/${bucket}${what}` : `${bucket}/${what}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : describeError(value);
}
