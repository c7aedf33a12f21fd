/** The bars of the issues, each of which names workloads, subjects and rivals that there are. */
import { describe, expect, it } from 'vitest';
import { writeBars } from '../../bench/writes/write-bars.ts';
import { writeScenes, writeSteps } from '../../bench/writes/write-scenes.ts';

const steps = writeSteps({
  tree: [],
  archive: '/tree.tar',
  many: [],
  big: { key: 'big', size: 2 ** 29, etag: '', path: '/big' },
});
const scenes = writeScenes(steps);
const bars = writeBars(scenes, steps);

describe('writes', () => {
  it.each([
    ['pailfs', 'untar', 'floor, 1 at a time', 1.15],
    ['pailfs', 'untar', 'best peer that reports errors at close', 0.5],
    ['pailfs', 'rm', 'floor, 1 at a time', 1.15],
    ['pailfs', '8 writers', 'floor, 8 at a time', 1.2],
    ['pailfs', 'copy', 'floor, 1 at a time', 1.1],
    ['pailfs write-back', 'untar', 'floor, 8 at a time', 1.25],
    ['pailfs write-back', 'rm', 'floor, 8 at a time', 1.25],
  ])('of %s over 25 ms: %s takes as long as %s, times %d at most', (subject, word, against, factor) => {
    const found = bars.filter(
      (bar) =>
        bar.kind === 'times as long' &&
        bar.subject === subject &&
        bar.against === against &&
        bar.workload.includes(word) &&
        bar.workload.endsWith(', 25 ms'),
    );

    expect(found).toEqual([expect.objectContaining({ factor })]);
  });

  it('are never slower than those of the best peer, over either network', () => {
    const ofPeers = bars.filter((bar) => 'against' in bar && bar.against.startsWith('best peer'));

    expect(ofPeers).toHaveLength(4 * 2 * 2);
    expect(Math.max(...ofPeers.map((bar) => ('factor' in bar ? bar.factor : NaN)))).toBe(1.05);
  });

  it('take no more memory than 200 MiB, whatever is written', () => {
    const names = scenes.flatMap((scene) => scene.steps.map(({ name }) => name));
    const ofMemory = bars.filter((bar) => bar.kind === 'all at most');

    expect(ofMemory.map(({ subject, value }) => [subject, value])).toEqual([
      ['pailfs', 200],
      ['pailfs write-back', 200],
    ]);
    for (const { workloads } of ofMemory) {
      expect(workloads).toHaveLength(2 * names.length);
      for (const name of names) expect(workloads).toContain(`${name}, 1 ms: peak memory`);
    }
  });
});
