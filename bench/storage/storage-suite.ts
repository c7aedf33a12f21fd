/** How are mounts compared over one store? The frame of the suites that measure mounts; a suite brings its scenes and bars. */
import { median } from '../frame/measurements.ts';
import {
  isChosen,
  type Bar,
  type Suite,
  type SuiteOptions,
  type TakeDown,
  type Workload,
} from '../frame/suite.ts';
import { disposeOfMounts } from '../mounts/mounted-program.ts';
import { findSubjects, LATE_PEERS } from '../mounts/subjects.ts';
import type { Profile } from './profiles.ts';
import { checkNetworks } from './network-check.ts';
import { FAR, NEAR } from './profiles.ts';
import type { Scene } from './scenes.ts';
import type { RequestCounts } from '../store/store-process.ts';
import { Testbed } from './testbed.ts';
import { playScene, type Player, type StepResult } from './turn.ts';

/** What a suite brings. */
export interface StorageSuiteParts {
  readonly title: string;
  readonly scenes: readonly Scene[];
  readonly bars: readonly Bar[];
  readonly notes: readonly string[];
  /** After everything. */
  close(): Promise<void>;
}

/** The names of rivals, for bars. */
export const FLOOR_1 = 'floor, 1 at a time';
export const FLOOR_8 = 'floor, 8 at a time';

interface Metric {
  readonly name: string;
  /** The title of its table. */
  readonly table: string;
  readonly unit: string;
  readonly of: (result: StepResult) => number | undefined;
}

const MEMORY = 'peak memory';

/** What is taken down beside the time. */
const METRICS: readonly Metric[] = [
  { name: 'requests', table: 'Requests', unit: 'requests', of: ({ traffic }) => sum(traffic.requests) },
  { name: 'sent', table: 'Sent to the store, MB', unit: 'MB', of: ({ traffic }) => traffic.up / 1e6 },
  {
    name: 'received',
    table: 'Received from the store, MB',
    unit: 'MB',
    of: ({ traffic }) => traffic.down / 1e6,
  },
  {
    name: 'pause',
    table: 'Pause between an answer and the next request, median milliseconds',
    unit: 'ms',
    of: ({ traffic }) => median(traffic.pauses),
  },
  {
    name: 'processor time',
    table: 'Processor time of the process that serves the mount, seconds',
    unit: 's',
    of: ({ usage }) => usage?.processorSeconds,
  },
  {
    name: MEMORY,
    table: 'Peak memory of the process that serves the mount, MiB',
    unit: 'MiB',
    of: ({ usage }) => usage && usage.peakBytes / 2 ** 20,
  },
];

/** The name under which a step's time is taken down. */
export const timeOf = (step: string, profile: Profile): string => `${step}, ${profile.name}`;
/** The name under which its memory is taken down, in MiB. */
export const memoryOf = (step: string, profile: Profile): string =>
  metricOf(timeOf(step, profile), { name: MEMORY });

const metricOf = (time: string, { name }: Pick<Metric, 'name'>): string => `${time}: ${name}`;

export async function openStorageSuite(options: SuiteOptions, parts: StorageSuiteParts): Promise<Suite> {
  const { ours, peers, notes: subjectNotes } = await findSubjects();
  const floors = [
    { name: FLOOR_1, width: 1 },
    { name: FLOOR_8, width: 8 },
  ];
  const players: readonly Player[] = [...ours, ...peers, ...floors].filter(({ name }) =>
    isChosen(name, options.subjects),
  );
  const names = players.map(({ name }) => name);
  const profiles = [NEAR, FAR];
  const testbed = await Testbed.open(profiles);
  const notes = new Set([...parts.notes, await checkNetworks(testbed, profiles), ...subjectNotes]);
  const times = profiles.flatMap((profile) =>
    parts.scenes.flatMap(({ steps }) => steps.map(({ name }) => timeOf(name, profile))),
  );
  const requests = new Map<string, RequestCounts>();
  const chosen = times.filter((name) => isChosen(name, options.only));
  return {
    title: parts.title,
    workloads: workloadsOf(chosen),
    subjects: names,
    rivals: [
      { name: 'best peer', subjects: peers.map(({ name }) => name) },
      {
        name: 'best peer that reports errors at close',
        subjects: peers.map(({ name }) => name).filter((name) => !LATE_PEERS.includes(name)),
      },
      ...floors.map(({ name }) => ({ name, subjects: [name] })),
    ],
    bars: parts.bars,
    get notes() {
      return [...notes, ['Requests of the last round:', '', ...[...requests].map(requestLine)].join('\n')];
    },
    measure: async (subject, takeDown) => {
      const player = players.find(({ name }) => name === subject);
      if (player === undefined) throw new Error(`there is no subject ${subject}`);
      for (const profile of profiles) await measureProfile(player, profile, takeDown);
    },
    close: async () => {
      await disposeOfMounts();
      await testbed.close();
      await parts.close();
    },
  };

  async function measureProfile(player: Player, profile: Profile, takeDown: TakeDown): Promise<void> {
    for (const scene of parts.scenes) {
      const isWanted = scene.steps.some(({ name }) => chosen.includes(timeOf(name, profile)));
      if (!isWanted) continue;
      try {
        await playScene(testbed, { scene, profile, player }, (step, result) => {
          const time = timeOf(step.name, profile);
          if (!chosen.includes(time)) return;
          takeDown(time, result.seconds);
          for (const metric of METRICS) {
            const value = metric.of(result);
            if (value !== undefined) takeDown(metricOf(time, metric), value);
          }
          requests.set(`${player.name}, ${time}`, result.traffic.requests);
        });
      } catch (error) {
        // A peer that fails is a finding; a failure of ours is one of the bench.
        if (!peers.some(({ name }) => name === player.name)) throw error;
        notes.add(
          `${player.name}, ${profile.name}: failed: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
  }
}

function workloadsOf(times: readonly string[]): readonly Workload[] {
  return [
    ...times.map((name) => ({ name, unit: 's', better: 'less' as const })),
    ...METRICS.flatMap((metric) =>
      times.map((time) => ({
        name: metricOf(time, metric),
        unit: metric.unit,
        better: 'less' as const,
        table: metric.table,
      })),
    ),
  ];
}

function requestLine([who, counts]: readonly [string, RequestCounts]): string {
  const kinds = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return `- ${who}: ${kinds.map(([kind, count]) => `${count} ${kind}`).join(', ')}`;
}

function sum(counts: RequestCounts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
