/** What do the numbers of several rounds come to? Their median: a noisy neighbour spoils a mean. */
import type { Bar, Workload } from './suite.ts';

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
    const sorted = [...this.values(workload, subject)].sort((a, b) => a - b);
    const middle = sorted.length / 2;
    const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
    return low === undefined || high === undefined ? undefined : (low + high) / 2;
  }

  /** How many times as fast as `against` is `subject`? Undefined when either was not measured. */
  ratio(workload: Workload, subject: string, against: string): number | undefined {
    const [ours, theirs] = [this.median(workload.name, subject), this.median(workload.name, against)];
    if (ours === undefined || theirs === undefined) return undefined;
    return workload.better === 'more' ? ours / theirs : theirs / ours;
  }
}

export interface Judgement {
  readonly bar: Bar;
  readonly ratio: number;
  readonly holds: boolean;
}

/** Of each bar that was measured. */
export function judge(
  measurements: Measurements,
  workloads: readonly Workload[],
  bars: readonly Bar[],
): readonly Judgement[] {
  return bars.flatMap((bar) => {
    const workload = workloads.find(({ name }) => name === bar.workload);
    const ratio = workload && measurements.ratio(workload, bar.subject, bar.against);
    return ratio === undefined ? [] : [{ bar, ratio, holds: ratio >= bar.factor }];
  });
}

const keyOf = (workload: string, subject: string): string => `${workload}\n${subject}`;
