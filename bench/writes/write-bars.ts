/** How fast must writes be? The bars of issue 4, and of issue 6: never slower than the best peer. */
import type { Bar } from '../frame/suite.ts';
import { memoryOf, timeOf } from '../storage/metrics.ts';
import { BEST_PEER, FLOOR_1, FLOOR_8 } from '../storage/players.ts';
import { FAR, PROFILES, type Profile } from '../storage/profiles.ts';
import type { Scene, Step } from '../storage/scenes.ts';
import type { WriteSteps } from './write-scenes.ts';

export const THROUGH = 'pailfs';
export const BACK = 'pailfs write-back';
/** What returns from close(2) before it has sent anything is compared with `BACK` alone. */
export const HONEST_PEER = 'best peer that reports errors at close';

const NEVER_SLOWER = 1.05;
const MOST_MEMORY_MIB = 200;

export function writeBars(scenes: readonly Scene[], steps: WriteSteps): readonly Bar[] {
  return [...floorBars(steps), ...peerBars(steps), ...memoryBars(scenes)];
}

function floorBars({ untar, remove, manyWriters, copy }: WriteSteps): readonly Bar[] {
  return [
    longer(untar, FAR, { subject: THROUGH, against: FLOOR_1, factor: 1.15 }),
    longer(remove, FAR, { subject: THROUGH, against: FLOOR_1, factor: 1.15 }),
    longer(manyWriters, FAR, { subject: THROUGH, against: FLOOR_8, factor: 1.2 }),
    longer(copy, FAR, { subject: THROUGH, against: FLOOR_1, factor: 1.1 }),
    longer(untar, FAR, { subject: BACK, against: FLOOR_8, factor: 1.25 }),
    longer(remove, FAR, { subject: BACK, against: FLOOR_8, factor: 1.25 }),
  ];
}

function peerBars({ untar, remove, manyWriters, copy }: WriteSteps): readonly Bar[] {
  return PROFILES.flatMap((profile) =>
    [untar, remove, manyWriters, copy].flatMap((step) => [
      longer(step, profile, {
        subject: THROUGH,
        against: HONEST_PEER,
        // Not of rm: a peer that deletes one file after the other is at the floor, too, and half of that cannot be reached.
        factor: step === untar && profile === FAR ? 0.5 : NEVER_SLOWER,
      }),
      longer(step, profile, { subject: BACK, against: BEST_PEER, factor: NEVER_SLOWER }),
    ]),
  );
}

/** Whatever the size of files. */
function memoryBars(scenes: readonly Scene[]): readonly Bar[] {
  const steps = scenes.flatMap((scene) => scene.steps);
  const workloads = PROFILES.flatMap((profile) => steps.map(({ name }) => memoryOf(name, profile)));
  return [THROUGH, BACK].map((subject) => ({
    kind: 'all at most',
    workload: 'every workload: peak memory, MiB',
    workloads,
    subject,
    value: MOST_MEMORY_MIB,
  }));
}

function longer(
  { name }: Step,
  profile: Profile,
  bar: { readonly subject: string; readonly against: string; readonly factor: number },
): Bar {
  return { kind: 'times as long', workload: timeOf(name, profile), ...bar };
}
