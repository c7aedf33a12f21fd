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
  { workloads, bars, rivals }: Pick<SuiteTerms, 'workloads' | 'bars' | 'rivals'>,
): readonly Judgement[] {
  return bars.flatMap((bar): Judgement[] => {
    if (bar.kind === 'all at most') {
      const medians = bar.workloads.flatMap((name) => measurements.median(name, bar.subject) ?? []);
      const reached = Math.max(...medians);
      return medians.length === 0 ? [] : [{ bar, reached, holds: reached <= bar.value }];
    }
    const workload = workloads.find(({ name }) => name === bar.workload);
    if (workload === undefined) return [];
    if (bar.kind === 'at most') {
      const reached = measurements.median(workload.name, bar.subject);
      return reached === undefined ? [] : [{ bar, reached, holds: reached <= bar.value }];
    }
    const against = rivals.find(({ name }) => name === bar.against)?.subjects ?? [];
    const ratio = measurements.ratio(workload, bar.subject, against);
    if (ratio === undefined) return [];
    if (bar.kind === 'times as fast') return [{ bar, reached: ratio, holds: ratio >= bar.factor }];
    return [{ bar, reached: 1 / ratio, holds: 1 / ratio <= bar.factor }];
  });
}

/** Undefined when there are no values. */
export function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

const keyOf = (workload: string, subject: string): string => `${workload}\n${subject}`;
