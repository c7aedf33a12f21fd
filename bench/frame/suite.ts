/** What is a suite of measurements? Subjects (e.g. drivers) that do the same workloads in turns, and bars that ratios must reach. */

export interface Workload {
  readonly name: string;
  /** What its numbers count, e.g. `calls/s` or `s`. */
  readonly unit: string;
  readonly better: 'more' | 'less';
  /** The table where it stands, one without ratios; the suite's first when absent. Its rows begin alike: what follows `: ` is not shown. */
  readonly table?: string;
}

/** Subjects of which the best counts. */
export interface Rivals {
  readonly name: string;
  readonly subjects: readonly string[];
}

/** What `subject` must reach in `workload`. `against` is a rival's name. */
export type Bar = { readonly workload: string; readonly subject: string } & (
  | { readonly kind: 'times as fast'; readonly against: string; readonly factor: number }
  | { readonly kind: 'times as long'; readonly against: string; readonly factor: number }
  /** In the workload's unit, in every round. */
  | { readonly kind: 'at most'; readonly value: number }
  /** The same for all of these; `workload` is what they are called together. */
  | { readonly kind: 'all at most'; readonly workloads: readonly string[]; readonly value: number }
);

/** Takes down one number, in the workload's unit. */
export type TakeDown = (workload: string, value: number) => void;

/** What subjects are measured with one after the other, before anything else: what disturbs the machine disturbs all alike. */
export interface Stage {
  readonly name: string;
  /** One round of one subject: each workload of the stage once. Those that are not for this subject are not measured. */
  measure(subject: string, takeDown: TakeDown): Promise<void>;
}

/** What is measured, and how it is judged. */
export interface SuiteTerms {
  readonly title: string;
  readonly workloads: readonly Workload[];
  /** The first is what is judged. */
  readonly subjects: readonly string[];
  /** The table shows the ratio of the first subject to each of them. */
  readonly rivals: readonly Rivals[];
  readonly bars: readonly Bar[];
  /** Sentences for the reader of the table, e.g. what was left out and why. */
  readonly notes: readonly string[];
  /** What was found of the circumstances, by their names: of several runs together, what the last found. */
  readonly checks?: Readonly<Record<string, string>>;
}

/** What it needs is there as long as nobody calls `undoAll`. */
export interface Suite extends SuiteTerms {
  readonly offers: Offers;
  /** For who measures, of the last round: too much for a page. */
  readonly details: readonly string[];
  readonly stages: readonly Stage[];
}

/** All names among which a person may choose, whatever was chosen. */
export interface Offers {
  readonly workloads: readonly string[];
  readonly subjects: readonly string[];
  readonly profiles: readonly string[];
}

/** What a person asked for. */
export interface SuiteOptions {
  /** Only workloads whose names contain one of these; all when there is none. */
  readonly workloads: readonly string[];
  /** Only subjects whose names contain one of these; all when there is none. */
  readonly subjects: readonly string[];
  /** Only networks whose names contain one of these; all when there is none. Suites without such take no notice. */
  readonly profiles: readonly string[];
  /** Sizes and numbers of files are so many times the usual ones; suites without such take no notice. */
  readonly scale: number;
}

/** Each name alone. */
export const rivalsOf = (subjects: readonly string[]): readonly Rivals[] =>
  subjects.map((name) => ({ name, subjects: [name] }));

/** Whether `name` contains one of `words`, or there are none. */
export const isChosen = (name: string, words: readonly string[]): boolean =>
  words.length === 0 || words.some((word) => name.includes(word));
