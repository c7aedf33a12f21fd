/** What is taken down of each step beside its time, and under which names? */
import { median } from '../frame/measurements.ts';
import type { Workload } from '../frame/suite.ts';
import type { RequestCounts } from '../store/store-process.ts';
import type { Profile } from './profiles.ts';
import type { StepResult } from './turn.ts';

interface Metric {
  readonly name: string;
  /** The title of its table. */
  readonly table: string;
  readonly unit: string;
  readonly of: (result: StepResult) => number | undefined;
}

const REQUESTS = 'requests';
const RECEIVED = 'received';
const REPEATED = 'sent again';
const MEMORY = 'peak memory';

const METRICS: readonly Metric[] = [
  { name: REQUESTS, table: 'Requests', unit: 'requests', of: ({ traffic }) => sum(traffic.requests) },
  { name: 'sent', table: 'Sent to the store, MB', unit: 'MB', of: ({ traffic }) => traffic.up / 1e6 },
  {
    name: RECEIVED,
    table: 'Received from the store, MB',
    unit: 'MB',
    of: ({ traffic }) => traffic.down / 1e6,
  },
  {
    name: REPEATED,
    table: 'Bytes of files that left the store once more, MB',
    unit: 'MB',
    of: ({ traffic }) => traffic.repeatedBytes / 1e6,
  },
  {
    name: 'pause',
    table: 'Pause between an answer and the next request, median milliseconds',
    unit: 'ms',
    of: ({ traffic }) => median(traffic.pauses),
  },
  {
    name: 'processor time',
    table: 'Processor time of the process that serves the mount, seconds',
    unit: 's',
    of: ({ usage }) => usage?.processorSeconds,
  },
  {
    name: MEMORY,
    table: 'Peak memory of the process that serves the mount, MiB',
    unit: 'MiB',
    of: ({ usage }) => usage && usage.peakBytes / 2 ** 20,
  },
];

/** The name under which a step's time is taken down. */
export const timeOf = (step: string, profile: Profile): string => `${step}, ${profile.name}`;
/** The name under which its memory is taken down, in MiB. */
export const memoryOf = (step: string, profile: Profile): string => metricOf(timeOf(step, profile), MEMORY);
/** Its requests. */
export const requestsOf = (step: string, profile: Profile): string =>
  metricOf(timeOf(step, profile), REQUESTS);
/** What came over the network, headers included, in MB. */
export const receivedOf = (step: string, profile: Profile): string =>
  metricOf(timeOf(step, profile), RECEIVED);
/** Bytes of files that left the store more than once, in MB. */
export const repeatedOf = (step: string, profile: Profile): string =>
  metricOf(timeOf(step, profile), REPEATED);

/** All that is taken down of the step whose time is called `time`. */
export function valuesOf(time: string, result: StepResult): readonly (readonly [string, number])[] {
  const others = METRICS.flatMap((metric): [string, number][] => {
    const value = metric.of(result);
    return value === undefined ? [] : [[metricOf(time, metric.name), value]];
  });
  return [[time, result.seconds], ...others];
}

/** The times first. */
export function workloadsOf(times: readonly string[]): readonly Workload[] {
  return [
    ...times.map((name) => ({ name, unit: 's', better: 'less' as const })),
    ...METRICS.flatMap(({ name, unit, table }) =>
      times.map((time) => ({ name: metricOf(time, name), unit, better: 'less' as const, table })),
    ),
  ];
}

const metricOf = (time: string, name: string): string => `${time}: ${name}`;

function sum(counts: RequestCounts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
