/** How is a run kept in a file, and how are several put together? Who has a quiet machine for minutes only measures piece by piece. */
import { Measurements } from './measurements.ts';
import { reportOf, type Report } from './report.ts';
import type { SuiteTerms, Workload } from './suite.ts';

/** One run of one suite. */
interface ReportDocument extends Omit<SuiteTerms, 'workloads'> {
  readonly date: string;
  readonly machine: string;
  readonly workloads: readonly MeasuredWorkload[];
}

interface MeasuredWorkload extends Workload {
  /** By subject, in the order of the rounds. */
  readonly values: Readonly<Record<string, readonly number[]>>;
}

/** Every value, for a program to read: an array, with one document a suite. */
export function asJson(reports: readonly Report[]): string {
  return `${JSON.stringify(reports.map(documentOf), null, 2)}\n`;
}

/** The titles of the suites that the texts of `asJson` have runs of. */
export function suitesIn(texts: readonly string[]): ReadonlySet<string> {
  return new Set(documentsIn(texts).map(({ title }) => title));
}

/** The runs of one suite in several texts of `asJson` as if they were one; the date is the last one's. Throws when there is none. */
export function mergedReport(texts: readonly string[], title: string): Report {
  const documents = documentsIn(texts).filter((document) => document.title === title);
  const last = documents.at(-1);
  if (last === undefined) throw new Error(`no file has a run of ${title}`);
  const measurements = new Measurements();
  const workloads = new Map<string, Workload>();
  for (const { values, ...workload } of documents.flatMap((document) => document.workloads)) {
    workloads.set(workload.name, workload);
    for (const [subject, numbers] of Object.entries(values))
      for (const number of numbers) measurements.add(workload.name, subject, number);
  }
  const suite: SuiteTerms = {
    title,
    subjects: unique(documents.flatMap(({ subjects }) => subjects)),
    workloads: [...workloads.values()],
    rivals: uniqueByName(documents.flatMap(({ rivals }) => rivals)),
    bars: last.bars,
    notes: unique(documents.flatMap(({ notes }) => notes)),
    checks: Object.fromEntries(documents.flatMap(({ checks }) => Object.entries(checks ?? {}))),
  };
  const machine = unique(documents.map((document) => document.machine)).join(', and ');
  return reportOf(suite, measurements, { machine, date: new Date(last.date) });
}

function documentsIn(texts: readonly string[]): readonly ReportDocument[] {
  return texts.flatMap((text) => JSON.parse(text) as readonly ReportDocument[]);
}

function documentOf({ suite, measurements, machine, date }: Report): ReportDocument {
  const { title, subjects, rivals, bars, notes, checks = {} } = suite;
  const workloads = suite.workloads.map((workload) => ({
    ...workload,
    values: Object.fromEntries(
      subjects.map((subject) => [subject, measurements.values(workload.name, subject)]),
    ),
  }));
  return { title, date: date.toISOString(), machine, subjects, rivals, bars, workloads, notes, checks };
}

const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)];

function uniqueByName<Named extends { readonly name: string }>(items: readonly Named[]): readonly Named[] {
  return [...new Map(items.map((item) => [item.name, item])).values()];
}
