/** What runs of the bench leave behind: files that can be put together, and a page with charts. */
import { describe, expect, it } from 'vitest';
import { Measurements } from '../../bench/frame/measurements.ts';
import { asJson, mergedReport, suitesIn } from '../../bench/frame/report-files.ts';
import { reportOf, type Report } from '../../bench/frame/report.ts';
import type { SuiteTerms, Workload } from '../../bench/frame/suite.ts';
import { chartsOf, withPart, type PagePart } from '../../bench/page/suite-page.ts';

const READS: PagePart = { suite: 'Reads', name: 'reads', measured: 'Reads' };

const find: Workload = { name: 'find, 25 ms', unit: 's', better: 'less' };
const cat: Workload = { name: 'cat, 25 ms', unit: 's', better: 'less' };
const catRequests: Workload = {
  name: 'cat, 25 ms: requests',
  unit: 'requests',
  better: 'less',
  table: 'Requests',
};

function measured(workloads: readonly Workload[], seconds: readonly number[], note: string): Report {
  const suite: SuiteTerms = {
    title: 'Reads',
    workloads,
    subjects: ['pailfs', 'a peer'],
    rivals: [{ name: 'best peer', subjects: ['a peer'] }],
    bars: [
      { kind: 'times as long', workload: 'cat, 25 ms', subject: 'pailfs', against: 'best peer', factor: 1 },
    ],
    notes: ['A note of all.', note],
    checks: { 'A line': `found ${note}` },
  };
  const measurements = new Measurements();
  for (const { name } of workloads)
    for (const value of seconds) {
      measurements.add(name, 'pailfs', value);
      measurements.add(name, 'a peer', 2 * value);
    }
  return reportOf(suite, measurements, { machine: 'a machine', date: new Date('2026-01-02') });
}

const PAGE = `before
<!-- reads: made by \`npm run bench:page\` -->
what was there
<!-- end of reads -->
after
`;

describe('runs in files', () => {
  it('are one when they are read together: every round counts, whatever file it is in', () => {
    const files = [
      asJson([measured([find], [1], 'First.')]),
      asJson([measured([cat, catRequests], [3, 5], 'Second.')]),
      asJson([measured([cat], [10], 'Second.')]),
    ];

    const report = mergedReport(files, 'Reads');

    expect(report.suite.workloads).toEqual([find, cat, catRequests]);
    expect(report.measurements.values(cat.name, 'pailfs')).toEqual([3, 5, 10]);
    expect(report.judgements).toMatchObject([{ reached: 0.5, holds: true }]);
    expect(report.suite.notes).toEqual(['A note of all.', 'First.', 'Second.']);
    expect(report.suite.checks).toEqual({ 'A line': 'found Second.' });
    expect([...suitesIn(files)]).toEqual(['Reads']);
    expect(() => mergedReport(files, 'Writes')).toThrow('no file has a run of Writes');
  });
});

describe('the page', () => {
  it('gets tables and charts between its marks, and says how many rounds there were', () => {
    const report = measured([cat, catRequests], [3], 'A note.');

    const page = withPart(PAGE, READS, report, chartsOf(READS, report));

    expect(page).toMatch(/^before\n<!-- reads: made/);
    expect(page).toMatch(/<!-- end of reads -->\nafter\n$/);
    expect(page).not.toContain('what was there');
    expect(page).toContain('2026-01-02; a machine. One round');
    expect(page).toContain('![Seconds a workload takes](benchmarks-reads-25-ms.svg)');
    expect(page).toContain('| cat, 25 ms (s) | 3.00 | 6.00 | 2.00 |');
    expect(page).toContain('| cat, 25 ms | 3 | 6 |');
    expect(page).toContain('A line: found A note.');
    expect(withPart(page, READS, report, chartsOf(READS, report))).toBe(page);
    expect(() => withPart('no marks', READS, report, [])).toThrow('no marks for reads');
  });

  it('has a chart for each network that was measured, with a bar for each value', () => {
    const charts = chartsOf(READS, measured([find, cat], [0.3], ''));

    expect(charts.map(({ name }) => name)).toEqual(['benchmarks-reads-25-ms.svg']);
    expect(charts[0]?.svg).toMatch(/^<svg /);
    for (const text of ['find', 'cat', 'pailfs', 'best peer', '0.3', '0.6', '60 MB/s'])
      expect(charts[0]?.svg).toContain(text);
  });
});
