/** What do the numbers of several rounds come to? Their median: a noisy neighbour spoils a mean. */
import type { Bar, SuiteTerms, Workload } from './suite.ts';

/** The numbers of one run. */
export class Measurements {
  readonly #values = new Map<string, number[]>();

  add(workload: string, subject: string, value: number): void {
    const key = keyOf(workload, subject);
    const values = this.#values.get(key) ?? [];
    values.push(value);
    this.#values.set(key, values);
  }

  /** In the order of the rounds. */
  values(workload: string, subject: string): readonly number[] {
    return this.#values.get(keyOf(workload, subject)) ?? [];
  }

  /** Undefined when nothing was measured. */
  median(workload: string, subject: string): number | undefined {
    return median(this.values(workload, subject));
  }

  /** The largest number of all rounds of all these workloads; undefined when nothing was measured. */
  largest(workloads: readonly string[], subject: string): number | undefined {
    const values = workloads.flatMap((workload) => this.values(workload, subject));
    return values.length === 0 ? undefined : values.reduce((one, other) => Math.max(one, other));
  }

  /** The median of the best of them; undefined when none was measured. */
  best(workload: Workload, subjects: readonly string[]): number | undefined {
    const medians = subjects.flatMap((subject) => this.median(workload.name, subject) ?? []);
    if (medians.length === 0) return undefined;
    return workload.better === 'more' ? Math.max(...medians) : Math.min(...medians);
  }

  /** How many times as fast as the best of `rivals` is `subject`? Undefined when either was not measured. */
  ratio(workload: Workload, subject: string, rivals: readonly string[]): number | undefined {
    const [ours, theirs] = [this.median(workload.name, subject), this.best(workload, rivals)];
    if (ours === undefined || theirs === undefined) return undefined;
    return workload.better === 'more' ? ours / theirs : theirs / ours;
  }
}

export interface Judgement {
  readonly bar: Bar;
  /** What is compared with the bar's number. */
  readonly reached: number;
  readonly holds: boolean;
}

/** Of each bar that was measured. */
export function judge(
  measurements: Measurements,
  terms: Pick<SuiteTerms, 'workloads' | 'bars' | 'rivals'>,
): readonly Judgement[] {
  return terms.bars.flatMap((bar): Judgement[] => {
    const reached = reachedOf(bar, measurements, terms);
    if (reached === undefined) return [];
    return [{ bar, reached, holds: isHeld(bar, reached) }];
  });
}

/** Times are compared by their medians. What must never be more than so much must not in any round: a median would hide one in which it was. */
function reachedOf(
  bar: Bar,
  measurements: Measurements,
  { workloads, rivals }: Pick<SuiteTerms, 'workloads' | 'rivals'>,
): number | undefined {
  if (bar.kind === 'at most') return measurements.largest([bar.workload], bar.subject);
  if (bar.kind === 'all at most') return measurements.largest(bar.workloads, bar.subject);
  const workload = workloads.find(({ name }) => name === bar.workload);
  const against = rivals.find(({ name }) => name === bar.against)?.subjects ?? [];
  const ratio = workload && measurements.ratio(workload, bar.subject, against);
  if (ratio === undefined) return undefined;
  return bar.kind === 'times as fast' ? ratio : 1 / ratio;
}

function isHeld(bar: Bar, reached: number): boolean {
  switch (bar.kind) {
    case 'times as fast':
      return reached >= bar.factor;
    case 'times as long':
      return reached <= bar.factor;
    case 'at most':
    case 'all at most':
      return reached <= bar.value;
  }
}

/** Undefined when there are no values. */
export function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

const keyOf = (workload: string, subject: string): string => `${workload}\n${subject}`;
