/** What a run of the bench comes to. */
import { describe, expect, it } from 'vitest';
import { judge, Measurements, median } from '../../bench/frame/measurements.ts';
import { asMarkdown, reportOf } from '../../bench/frame/report.ts';
import type { Bar, Suite } from '../../bench/frame/suite.ts';

const bars: readonly Bar[] = [
  { kind: 'times as fast', workload: 'copy', subject: 'ours', against: 'best', factor: 1.5 },
  { kind: 'times as long', workload: 'copy', subject: 'ours', against: 'best', factor: 0.5 },
  { kind: 'at most', workload: 'copy: memory', subject: 'ours', value: 100 },
  { kind: 'at most', workload: 'never measured', subject: 'ours', value: 100 },
  {
    kind: 'all at most',
    workload: 'all',
    workloads: ['copy', 'copy: memory', 'never'],
    subject: 'ours',
    value: 120,
  },
  { kind: 'all at most', workload: 'none', workloads: ['never'], subject: 'ours', value: 1 },
];

const suite: Suite = {
  title: 'Copies',
  workloads: [
    { name: 'copy', unit: 's', better: 'less' },
    { name: 'copy: memory', unit: 'MiB', better: 'less', table: 'Memory, MiB' },
  ],
  subjects: ['ours', 'slow', 'slower'],
  rivals: [{ name: 'best', subjects: ['slow', 'slower'] }],
  bars,
  notes: ['A note.'],
  offers: { workloads: [], subjects: [], profiles: [] },
  details: [],
  stages: [],
};

function measured(): Measurements {
  const measurements = new Measurements();
  for (const seconds of [9, 2, 1]) measurements.add('copy', 'ours', seconds);
  for (const seconds of [4, 3, 2]) measurements.add('copy', 'slow', seconds);
  measurements.add('copy', 'slower', 30);
  for (const mebibytes of [90, 120, 80]) measurements.add('copy: memory', 'ours', mebibytes);
  return measurements;
}

describe('a median', () => {
  it.each([
    [[], undefined],
    [[10], 10],
    [[10, 9], 9.5],
    [[100, 20, 3], 20],
    [[4, 1, 100, 2], 3],
  ])('of %j is %d', (values, middle) => {
    expect(median(values)).toBe(middle);
  });
});

describe('a report', () => {
  it('judges medians against the best of the rivals, and every round by what is never to be exceeded', () => {
    const judgements = judge(measured(), suite);

    expect(judgements.map(({ reached, holds }) => [reached, holds])).toEqual([
      [1.5, true],
      [1 / 1.5, false],
      [120, false],
      [120, true],
    ]);
  });

  it('has a table of times with ratios, one for each other thing, the bars, and the notes', () => {
    const text = asMarkdown(reportOf(suite, measured(), { machine: 'a machine', date: new Date(0) }));

    expect(text).toContain('| copy (s) | 2.00 | 3.00 | 30.0 | 1.50 |');
    expect(text).toContain('### Memory, MiB');
    expect(text).toContain('| copy | 90.0 |');
    expect(text).toContain('| copy: memory | ours | at most 100 in every round | 120 | **missed** |');
    expect(text).toContain('| copy | ours | at least 1.50 times as fast as best | 1.50 | holds |');
    expect(text).toContain('| copy | ours | at most 0.50 times as long as best | 0.667 | **missed** |');
    expect(text).toContain('A note.');
  });
});
