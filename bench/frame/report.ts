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
  const judgements = judge(measurements, suite);
  return { suite, measurements, judgements, ...circumstances };
}

/** Markdown: what was measured where, the tables, and what the bars say. */
export function asMarkdown(report: Report): string {
  const { suite, judgements, machine, date } = report;
  const [judged = ''] = suite.subjects;
  const tables = new Map<string, Workload[]>();
  for (const workload of suite.workloads) {
    const title = workload.table ?? '';
    tables.set(title, [...(tables.get(title) ?? []), workload]);
  }
  return [
    `## ${suite.title}`,
    `${date.toISOString().slice(0, 10)}; ${machine}. Medians; a ratio above 1 means that ${judged} is faster.`,
    ...[...tables].flatMap(([title, workloads]) =>
      title === '' ? [timesTable(report, workloads)] : [`### ${title}`, plainTable(report, workloads)],
    ),
    ...(judgements.length === 0 ? [] : ['### Bars', judgements.map(judgementLine).join('\n')]),
    ...suite.notes,
    '',
  ].join('\n\n');
}

function timesTable({ suite, measurements }: Report, workloads: readonly Workload[]): string {
  const [judged = ''] = suite.subjects;
  const ratios = suite.rivals.map(({ name }) => `${judged}/${name}`);
  return tableOf(
    ['workload', ...suite.subjects, ...ratios],
    workloads.map((workload) => [
      `${workload.name} (${workload.unit})`,
      ...suite.subjects.map((subject) => number(measurements.median(workload.name, subject))),
      ...suite.rivals.map(({ subjects }) => factor(measurements.ratio(workload, judged, subjects))),
    ]),
  );
}

function plainTable({ suite, measurements }: Report, workloads: readonly Workload[]): string {
  const subjects = suite.subjects.filter((subject) =>
    workloads.some(({ name }) => measurements.median(name, subject) !== undefined),
  );
  return tableOf(
    ['workload', ...subjects],
    workloads.map((workload) => [
      workload.name.split(': ')[0] ?? '',
      ...subjects.map((subject) => number(measurements.median(workload.name, subject))),
    ]),
  );
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
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

function judgementLine({ bar, reached, holds }: Judgement): string {
  const found = `${reached.toPrecision(3)}: ${holds ? 'holds' : '**missed**'}`;
  const wanted =
    bar.kind === 'at most'
      ? `at most ${bar.value}`
      : `${bar.kind === 'times as fast' ? 'at least' : 'at most'} ${bar.factor} ${bar.kind} as ${bar.against}`;
  return `- ${bar.workload}: ${bar.subject} ${wanted}: ${found}`;
}

function number(value: number | undefined): string {
  if (value === undefined) return '-';
  if (value === 0) return '0';
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

function factor(value: number | undefined): string {
  return value === undefined ? '-' : value.toFixed(2);
}
