/** How is a run told to people? As tables in Markdown. */
import { judge, type Judgement, type Measurements } from './measurements.ts';
import type { Bar, SuiteTerms, Workload } from './suite.ts';

/** All that a run found out. */
export interface Report {
  readonly suite: SuiteTerms;
  readonly measurements: Measurements;
  readonly judgements: readonly Judgement[];
  readonly machine: string;
  readonly date: Date;
}

/** Judges `measurements` by the suite's bars. */
export function reportOf(
  suite: SuiteTerms,
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
    `${date.toISOString().slice(0, 10)}; ${machine}. ${roundsOf(report)}; a ratio above 1 means that ${judged} is faster.`,
    ...[...tables].flatMap(([title, workloads]) =>
      title === '' ? [timesTable(report, workloads)] : [`### ${title}`, plainTable(report, workloads)],
    ),
    ...(judgements.length === 0 ? [] : ['### Bars', barsTable(judgements)]),
    ...suite.notes,
    ...Object.entries(suite.checks ?? {}).map(([name, found]) => `${name}: ${found}`),
    '',
  ].join('\n\n');
}

/** How many numbers are behind each. */
function roundsOf({ suite, measurements }: Report): string {
  const counts = suite.workloads
    .flatMap(({ name }) => suite.subjects.map((subject) => measurements.values(name, subject).length))
    .filter((count) => count > 0);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (most <= 1) return 'One round';
  return `Medians of ${least === most ? '' : `${least} to `}${most} rounds`;
}

/** Without rivals of whom nothing was measured. */
function timesTable({ suite, measurements }: Report, workloads: readonly Workload[]): string {
  const [judged = ''] = suite.subjects;
  const rivals = suite.rivals.filter(({ subjects }) =>
    workloads.some((workload) => measurements.best(workload, subjects) !== undefined),
  );
  return tableOf(
    ['workload', ...suite.subjects, ...rivals.map(({ name }) => `${judged}/${name}`)],
    workloads.map((workload) => [
      `${workload.name} (${workload.unit})`,
      ...suite.subjects.map((subject) => number(measurements.median(workload.name, subject))),
      ...rivals.map(({ subjects }) => factor(measurements.ratio(workload, judged, subjects))),
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
      ...subjects.map((subject) => number(measurements.median(workload.name, subject), workload.unit)),
    ]),
  );
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function barsTable(judgements: readonly Judgement[]): string {
  return tableOf(
    ['workload', 'subject', 'bar', 'reached', ''],
    judgements.map(({ bar, reached, holds }) => [
      bar.workload,
      bar.subject,
      wantedOf(bar),
      number(reached),
      holds ? 'holds' : '**missed**',
    ]),
  );
}

function wantedOf(bar: Bar): string {
  if (bar.kind === 'at most' || bar.kind === 'all at most') return `at most ${bar.value} in every round`;
  const bound = bar.kind === 'times as fast' ? 'at least' : 'at most';
  return `${bound} ${factor(bar.factor)} ${bar.kind} as ${bar.against}`;
}

function number(value: number | undefined, unit?: string): string {
  if (value === undefined) return '-';
  if (value === 0) return '0';
  if (unit === 'requests') return value.toLocaleString('en');
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

function factor(value: number | undefined): string {
  return value === undefined ? '-' : value.toFixed(2);
}
