/** What does docs/benchmarks.md say of a suite? What was measured, with charts, in place of what it said before. */
import { asMarkdown, type Report } from '../frame/report.ts';
import { rivalsOf, type Rivals } from '../frame/suite.ts';
import { READS } from '../reads/reads-suite.ts';
import { PROFILES, type Profile } from '../storage/profiles.ts';
import { BEST_PEER, FLOOR_1, FLOOR_8, LOCAL_DISK } from '../storage/players.ts';
import { WRITES } from '../writes/writes-suite.ts';
import { chartOf } from './chart.ts';

const PLAIN: Rivals = {
  name: 'plain HTTP (the better of 1 and 8 at a time), or a local file',
  subjects: [FLOOR_1, FLOOR_8, LOCAL_DISK],
};

/** A part of the page that runs of one suite make. */
export interface PagePart {
  /** The suite's title. */
  readonly suite: string;
  /** What its marks and the files of its charts are called by. */
  readonly name: string;
  /** What its charts show. */
  readonly measured: string;
}

/** A chart, to be kept beside the page. */
export interface ChartFile {
  readonly name: string;
  readonly svg: string;
}

export const PAGE_PARTS: readonly PagePart[] = [
  { suite: READS, name: 'reads', measured: 'Reads and listings' },
  { suite: WRITES, name: 'writes', measured: 'Writes until the store holds them' },
];

/** `page` with what stands between the marks of `part` made anew. Throws when it has none. */
export function withPart(page: string, part: PagePart, report: Report, charts: readonly ChartFile[]): string {
  const beginMark = `<!-- ${part.name}: made by \`npm run bench:page\` -->`;
  const [begin, end] = [page.indexOf(beginMark), page.indexOf(`<!-- end of ${part.name} -->`)];
  if (begin === -1 || end < begin) throw new Error(`the page has no marks for ${part.name}`);
  const images = charts.map(({ name }) => `![Seconds a workload takes](${name})`).join('\n\n');
  const [title = '', circumstances = '', ...tables] = asMarkdown(report).split('\n\n');
  const parts = [title, circumstances, images, ...tables].join('\n\n');
  return `${page.slice(0, begin)}${beginMark}\n\n${parts.trimEnd()}\n\n${page.slice(end)}`;
}

/** One for each network that was measured. */
export function chartsOf(part: PagePart, { suite, measurements }: Report): readonly ChartFile[] {
  const peers = suite.rivals.filter(({ name }) => name === BEST_PEER);
  const rivals = [...rivalsOf(['pailfs']), ...peers, PLAIN];
  return PROFILES.flatMap((profile) => {
    const workloads = suite.workloads.filter(
      ({ name, table }) => table === undefined && name.endsWith(`, ${profile.name}`),
    );
    if (workloads.length === 0) return [];
    const svg = chartOf({ title: titleOf(part, profile), workloads, rivals }, measurements);
    return [{ name: `benchmarks-${part.name}-${profile.name.replace(' ', '-')}.svg`, svg }];
  });
}

function titleOf({ measured }: PagePart, { name, bytesPerSecond }: Profile): string {
  const speed = bytesPerSecond === null ? '' : ` and ${bytesPerSecond / 1e6} MB/s a connection`;
  return `${measured} over ${name}${speed}: seconds, less is better (logarithmic)`;
}
