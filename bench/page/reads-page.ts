/** What does docs/benchmarks.md say of reads? What was measured, with charts, in place of what it said before. */
import { asMarkdown, type Report } from '../frame/report.ts';
import { PROFILES, type Profile } from '../storage/profiles.ts';
import { BEST_PEER, FLOOR_1, FLOOR_8, LOCAL_DISK } from '../storage/storage-suite.ts';
import { chartOf } from './chart.ts';

const BEGIN = '<!-- reads: made by `npm run bench:page` -->';
const END = '<!-- end of reads -->';

/** A chart, to be kept beside the page. */
export interface ChartFile {
  readonly name: string;
  readonly svg: string;
}

/** `page` with what stands between the marks made anew. Throws when it has no marks. */
export function withReads(page: string, report: Report, charts: readonly ChartFile[]): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error('the page has no marks for reads');
  const images = charts.map(({ name }) => `![Seconds a workload takes](${name})`).join('\n\n');
  const [title = '', circumstances = '', ...tables] = asMarkdown(report).split('\n\n');
  const parts = [title, circumstances, images, ...tables].join('\n\n');
  return `${page.slice(0, begin)}${BEGIN}\n\n${parts.trimEnd()}\n\n${page.slice(end)}`;
}

/** One for each network that was measured. */
export function readCharts(report: Report): readonly ChartFile[] {
  return PROFILES.flatMap((profile) => {
    const workloads = report.suite.workloads.filter(
      ({ name, table }) => table === undefined && name.endsWith(`, ${profile.name}`),
    );
    if (workloads.length === 0) return [];
    const peers = report.suite.rivals.find(({ name }) => name === BEST_PEER)?.subjects ?? [];
    const bars = [
      { name: 'pailfs', subjects: ['pailfs'] },
      { name: BEST_PEER, subjects: peers },
      {
        name: 'plain HTTP (the better of 1 and 8 at a time), or a local file',
        subjects: [FLOOR_1, FLOOR_8, LOCAL_DISK],
      },
    ];
    return [{ name: fileOf(profile), svg: chartOf(titleOf(profile), workloads, bars, report.measurements) }];
  });
}

function titleOf({ name, bytesPerSecond }: Profile): string {
  const speed = bytesPerSecond === null ? '' : ` and ${bytesPerSecond / 1e6} MB/s a connection`;
  return `Reads and listings over ${name}${speed}: seconds, less is better (logarithmic)`;
}

const fileOf = ({ name }: Profile): string => `benchmarks-reads-${name.replace(' ', '-')}.svg`;
