/**
 * How does a log stay readable when everything fails at once? The first few lines of a kind are written, the others are
 * counted, and the count is written when the window ends; while that goes on, each window shows but one. Which files they were about is
 * written with the count: of many a file nothing else tells. Lines for debugging always pass: who asks for them wants them all.
 */
import type { Clock } from '../../base/clock.ts';
import type { Log, LogFields } from '../../base/log.ts';
import { inBucket } from './recent-problems.ts';

const WINDOW_MS = 10_000;
/** Of one level and message in one window. */
const LINES_OF_A_KIND = 5;
/** Of each of so many further causes of a kind the first line is written, too: a program that fails all the time shall not hide why another does. */
const CAUSES_OF_A_KIND = 10;
/** What a kind begins with that was withheld in the window before: one more line. */
const GOING_ON = LINES_OF_A_KIND - 1;
/** That the lines left out of one kind and window were about. */
const MOST_SUBJECTS = 1000;
/** In one line. */
const SUBJECTS_IN_A_LINE = 100;
/** What lines name the file by that they are about, the best first: of a conflict the name of the copy. */
const SUBJECT_FIELDS = ['ours', 'path', 'key', 'to'] as const;
/** Of all kinds in one window: also a burst of many different messages stays short. */
const LINES_IN_ALL = 60;
/** After so many lines in a window no further causes are told: other kinds need room. */
const LINES_BEFORE_CAUSES = 30;

type QuietLevel = 'info' | 'warn' | 'error';

interface Kind {
  readonly level: QuietLevel;
  readonly message: string;
  count: number;
  withheld: number;
  /** Files that the withheld lines were about. */
  readonly subjects: Set<string>;
  /** Of which a line was written. */
  readonly causes: Set<string>;
}

type Named = Pick<Kind, 'level' | 'message'>;

export class QuietLog implements Log {
  readonly #log: Log;
  readonly #clock: Clock;
  #kinds = new Map<string, Kind>();
  #lines = 0;
  #cancelWindow: (() => void) | undefined;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  get hidesDebug(): boolean | undefined {
    return this.#log.hidesDebug;
  }

  debug(message: string, fields?: LogFields): void {
    this.#log.debug(message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write('error', message, fields);
  }

  /** Writes the counts of what was withheld and begins anew: at the end of a window, and before the process ends. */
  summarise(): void {
    this.#cancelWindow?.();
    this.#cancelWindow = undefined;
    const repeated = [...this.#kinds.values()].filter((kind) => kind.withheld > 0);
    this.#kinds = new Map(repeated.map((kind) => [nameOf(kind), newKind(kind, GOING_ON, kind.causes)]));
    this.#lines = 0;
    const told = repeated.filter((kind, index) => index < LINES_OF_A_KIND || kind.subjects.size > 0);
    for (const kind of told) this.#tell(kind);
    const others = repeated
      .filter((kind) => !told.includes(kind))
      .reduce((sum, kind) => sum + kind.withheld, 0);
    if (others > 0) this.#log.warn('More lines of other kinds were left out', { lines: others });
  }

  #tell({ level, message, withheld, subjects }: Kind): void {
    const names = [...subjects];
    const about = names.splice(0, SUBJECTS_IN_A_LINE);
    this.#log[level](message, { repeated: withheld, ...(about.length > 0 && { about }) });
    while (names.length > 0) this.#log[level](message, { about: names.splice(0, SUBJECTS_IN_A_LINE) });
  }

  #write(level: QuietLevel, message: string, fields: LogFields | undefined): void {
    this.#cancelWindow ??= this.#openWindow();
    const kind = this.#kindOf(level, message);
    kind.count += 1;
    if (!this.#isNews(kind, fields) && (kind.count > LINES_OF_A_KIND || this.#lines >= LINES_IN_ALL)) {
      kind.withheld += 1;
      const subject = subjectOf(fields);
      if (subject !== undefined && kind.subjects.size < MOST_SUBJECTS) kind.subjects.add(subject);
      return;
    }
    this.#lines += 1;
    this.#log[level](message, fields);
  }

  #openWindow(): () => void {
    return this.#clock.after(WINDOW_MS, () => {
      this.summarise();
      // What does not happen again in the next window has ended.
      if (this.#kinds.size > 0) this.#cancelWindow = this.#openWindow();
    });
  }

  /** Whether the line has a cause of its own that is worth one. */
  #isNews({ causes }: Kind, { cause }: LogFields = {}): boolean {
    if (typeof cause !== 'string' || causes.has(cause)) return false;
    if (causes.size >= CAUSES_OF_A_KIND || this.#lines >= LINES_BEFORE_CAUSES) return false;
    causes.add(cause);
    return true;
  }

  #kindOf(level: QuietLevel, message: string): Kind {
    const name = nameOf({ level, message });
    const known = this.#kinds.get(name);
    if (known !== undefined) return known;
    const kind = newKind({ level, message }, 0);
    this.#kinds.set(name, kind);
    return kind;
  }
}

function newKind({ level, message }: Named, count: number, causes: Iterable<string> = []): Kind {
  return { level, message, count, withheld: 0, subjects: new Set(), causes: new Set(causes) };
}

function subjectOf(fields: LogFields = {}): string | undefined {
  const subject = SUBJECT_FIELDS.map((name) => fields[name]).find((value) => typeof value === 'string');
  return subject === undefined ? undefined : inBucket(fields['bucket'], subject);
}

function nameOf({ level, message }: Named): string {
  return `${level} ${message}`;
}
