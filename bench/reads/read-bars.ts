/** How fast must reads and listings be? The bars of the issue that asked for the bench. */
import type { Bar } from '../frame/suite.ts';
import { receivedOf, memoryOf, repeatedOf, requestsOf, timeOf } from '../storage/metrics.ts';
import { FAR, NEAR, PROFILES, type Profile } from '../storage/profiles.ts';
import type { Scene, Step } from '../storage/scenes.ts';
import { BEST_PEER, FLOOR_1, FLOOR_8, LOCAL_DISK } from '../storage/players.ts';
import type { LargeFileSteps } from './large-file-scenes.ts';
import type { ListingSteps } from './listing-scenes.ts';
import type { SmallFileSteps } from './small-file-scenes.ts';

export type ReadSteps = ListingSteps & LargeFileSteps & SmallFileSteps;

const SUBJECT = 'pailfs';
const NEVER_SLOWER = 1.05;
/** How long reading again from the disk may take, as a multiple of reading a local file: 0.7 of its speed. */
const DISK = 1 / 0.7;
const RANDOM_RECEIVED_MB = 40;
const MOST_MEMORY_MIB = 300;

export function readBars(scenes: readonly Scene[], steps: ReadSteps): readonly Bar[] {
  const all = scenes.flatMap((scene) => scene.steps);
  return [...peerBars(all, steps), ...floorBars(steps), ...warmBars(steps), ...everywhere(all)];
}

/** Random reads aside: there peers win time by downloading the whole file. */
function peerBars(all: readonly Step[], steps: ReadSteps): readonly Bar[] {
  const far = new Map([
    [steps.find, 0.4],
    [steps.oneByOne, 0.3],
    [steps.grep, 0.3],
    [steps.eightAtATime, 0.7],
    [steps.sequential, 0.75],
    [steps.four, 0.5],
    [steps.findAgain, 1],
    [steps.missing, 1],
  ]);
  const judged = all.filter((step) => !steps.random.includes(step));
  return PROFILES.flatMap((profile) =>
    judged.map((step) =>
      longer(step, profile, BEST_PEER, (profile === FAR ? far.get(step) : undefined) ?? NEVER_SLOWER),
    ),
  );
}

function floorBars({ sequential, listings, random }: ReadSteps): readonly Bar[] {
  const [smallest] = random;
  return [
    longer(sequential, FAR, FLOOR_8, 1.3),
    longer(sequential, NEAR, FLOOR_8, 1.6),
    ...PROFILES.flatMap((profile) => [
      ...listings.slice(-1).map((step) => longer(step, profile, FLOOR_1, 1.3)),
      ...random.map((step) => longer(step, profile, FLOOR_1, 1.15)),
      ...(smallest === undefined ? [] : [most(receivedOf(smallest.name, profile), RANDOM_RECEIVED_MB)]),
    ]),
  ];
}

function warmBars({ listingsAgain, findAgain, sequentialAgain }: ReadSteps): readonly Bar[] {
  return PROFILES.flatMap((profile) => [
    ...[...listingsAgain, findAgain].map(({ name }) => most(requestsOf(name, profile), 0)),
    longer(sequentialAgain, profile, LOCAL_DISK, DISK),
  ]);
}

function everywhere(all: readonly Step[]): readonly Bar[] {
  const each = (nameOf: (step: string, profile: Profile) => string): readonly string[] =>
    PROFILES.flatMap((profile) => all.map(({ name }) => nameOf(name, profile)));
  return [
    {
      kind: 'all at most',
      workload: 'every workload: peak memory, MiB',
      workloads: each(memoryOf),
      subject: SUBJECT,
      value: MOST_MEMORY_MIB,
    },
    {
      kind: 'all at most',
      workload: 'every workload: bytes of files that left the store once more, MB',
      workloads: each(repeatedOf),
      subject: SUBJECT,
      value: 0,
    },
  ];
}

function longer({ name }: Step, profile: Profile, against: string, factor: number): Bar {
  return { kind: 'times as long', workload: timeOf(name, profile), subject: SUBJECT, against, factor };
}

function most(workload: string, value: number): Bar {
  return { kind: 'at most', workload, subject: SUBJECT, value };
}
