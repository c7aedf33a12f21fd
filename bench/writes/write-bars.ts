/** How fast must writes be? The bars of the issue that asked for them. */
import type { Bar } from '../frame/suite.ts';
import { memoryOf, timeOf } from '../storage/metrics.ts';
import { FLOOR_1, FLOOR_8 } from '../storage/players.ts';
import { FAR } from '../storage/profiles.ts';
import type { Step } from '../storage/scenes.ts';
import type { WriteSteps } from './write-scenes.ts';

export const THROUGH = 'pailfs';
export const BACK = 'pailfs write-back';
export const HONEST_PEER = 'best peer that reports errors at close';

const MOST_MEMORY_MIB = 200;

export function writeBars({ untar, remove, manyWriters, copy }: WriteSteps): readonly Bar[] {
  return [
    longer(untar, { subject: THROUGH, against: FLOOR_1, factor: 1.15 }),
    longer(untar, { subject: THROUGH, against: HONEST_PEER, factor: 0.5 }),
    longer(remove, { subject: THROUGH, against: FLOOR_1, factor: 1.15 }),
    longer(manyWriters, { subject: THROUGH, against: FLOOR_8, factor: 1.2 }),
    longer(copy, { subject: THROUGH, against: FLOOR_1, factor: 1.1 }),
    longer(untar, { subject: BACK, against: FLOOR_8, factor: 1.25 }),
    longer(remove, { subject: BACK, against: FLOOR_8, factor: 1.25 }),
    ...[THROUGH, BACK].map((subject) => memory(copy, subject)),
  ];
}

function memory({ name }: Step, subject: string): Bar {
  return { kind: 'at most', workload: memoryOf(name, FAR), subject, value: MOST_MEMORY_MIB };
}

function longer(
  { name }: Step,
  bar: { readonly subject: string; readonly against: string; readonly factor: number },
): Bar {
  return { kind: 'times as long', workload: timeOf(name, FAR), ...bar };
}
