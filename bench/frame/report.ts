/** How is a run told: as a table for people, as JSON for programs? */
import { judge, type Judgement, type Measurements } from './measurements.ts';
import type { Suite, Workload } from './suite.ts';

/** All that a run found out. */
export interface Report {
  readonly suite: Suite;
  readonly measurements: Measurements;
  readonly judgements: readonly Judgement[];
  readonly machine: string;
  readonly date: Date;
}

/** Judges `measurements` by the suite's bars. */
export function reportOf(
  suite: Suite,
  measurements: Measurements,
  circumstances: Pick<Report, 'machine' | 'date'>,
): Report {
  const judgements = judge(measurements, suite.workloads, suite.bars);
  return { suite, measurements, judgements, ...circumstances };
}

/** Markdown: what was measured where, the table, and what the bars say. */
export function asMarkdown({ suite, measurements, judgements, machine, date }: Report): string {
  const [judged = '', ...others] = suite.subjects;
  const head = ['workload', ...suite.subjects, ...others.map((other) => `${judged}/${other}`), 'bar'];
  const rows = suite.workloads.map((workload) => [
    `${workload.name} (${workload.unit})`,
    ...suite.subjects.map((subject) => number(measurements.median(workload.name, subject))),
    ...others.map((other) => factor(measurements.ratio(workload, judged, other))),
    barsOf(judgements, workload),
  ]);
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [
    `## ${suite.title}`,
    `${date.toISOString().slice(0, 10)}; ${machine}. Medians; a ratio above 1 means that ${judged} is faster.`,
    lines.join('\n'),
    ...suite.notes,
    '',
  ].join('\n\n');
}

/** Every value, for a program to read. */
export function asJson({ suite, measurements, judgements, machine, date }: Report): string {
  const workloads = suite.workloads.map(({ name, unit, better }) => ({
    name,
    unit,
    better,
    values: Object.fromEntries(
      suite.subjects.map((subject) => [subject, measurements.values(name, subject)]),
    ),
  }));
  return `${JSON.stringify({ title: suite.title, date, machine, workloads, judgements, notes: suite.notes }, null, 2)}\n`;
}

function barsOf(judgements: readonly Judgement[], workload: Workload): string {
  return judgements
    .filter(({ bar }) => bar.workload === workload.name)
    .map(({ bar, holds }) => `${bar.factor} x ${bar.against}: ${holds ? 'holds' : 'MISSED'}`)
    .join(', ');
}

function number(value: number | undefined): string {
  if (value === undefined) return '-';
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

function factor(value: number | undefined): string {
  return value === undefined ? '-' : value.toFixed(2);
}
