/** What is a suite of measurements? Subjects (e.g. drivers) that do the same workloads in turns, and bars that ratios must reach. */

export interface Workload {
  readonly name: string;
  /** What its numbers count, e.g. `calls/s` or `s`. */
  readonly unit: string;
  readonly better: 'more' | 'less';
}

/** `subject` must be at least `factor` times as fast as `against` in `workload`. */
export interface Bar {
  readonly workload: string;
  readonly subject: string;
  readonly against: string;
  readonly factor: number;
}

/** Takes down one number, in the workload's unit. */
export type TakeDown = (workload: string, value: number) => void;

export interface Suite {
  readonly title: string;
  readonly workloads: readonly Workload[];
  /** The first is what is judged; the table shows its ratio to each of the others. */
  readonly subjects: readonly string[];
  readonly bars: readonly Bar[];
  /** Sentences for the reader of the table, e.g. what was left out and why. */
  readonly notes: readonly string[];
  /** One round of one subject: each workload once. */
  measure(subject: string, takeDown: TakeDown): Promise<void>;
  close(): Promise<void>;
}

/** What a person asked for. */
export interface SuiteOptions {
  /** Only workloads whose names contain one of these; all when there is none. */
  readonly only: readonly string[];
}
