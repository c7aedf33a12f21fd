/** How are mounts compared over one store? The frame of the suites that measure mounts; a suite brings its scenes and bars. */
import {
  isChosen,
  type Bar,
  type Rivals,
  type Stage,
  type Suite,
  type SuiteOptions,
} from '../frame/suite.ts';
import { disposeOfMounts } from '../mounts/mounted-program.ts';
import { findSubjects, type WantedSubjects } from '../mounts/subjects.ts';
import type { RequestCounts } from '../store/store-process.ts';
import { Buckets } from './buckets.ts';
import { timeOf, valuesOf, workloadsOf } from './metrics.ts';
import { checkDisk } from './disk-check.ts';
import { checkNetworks } from './network-check.ts';
import { PROFILES, type Profile } from './profiles.ts';
import type { Scene } from './scenes.ts';
import { Testbed } from './testbed.ts';
import { canPlay, playScene, type Player } from './turn.ts';

/** What a suite brings. */
export interface StorageSuiteParts {
  readonly title: string;
  readonly mounts: WantedSubjects;
  readonly scenes: readonly Scene[];
  readonly bars: readonly Bar[];
  /** Beside the floors and `BEST_PEER`, given the names of the peers. */
  readonly rivals: (peers: readonly string[]) => readonly Rivals[];
  readonly notes: readonly string[];
  /** After everything. */
  close(): Promise<void>;
}

/** The names of rivals, for bars. */
export const FLOOR_1 = 'floor, 1 at a time';
export const FLOOR_8 = 'floor, 8 at a time';
export const LOCAL_DISK = 'local disk';
export const BEST_PEER = 'best peer';

const OTHERS: readonly Player[] = [
  { name: FLOOR_1, width: 1 },
  { name: FLOOR_8, width: 8 },
  { name: LOCAL_DISK, isLocalDisk: true },
];

export async function openStorageSuite(options: SuiteOptions, parts: StorageSuiteParts): Promise<Suite> {
  const { ours, peers, notes: subjectNotes } = await findSubjects(parts.mounts);
  const profiles = PROFILES.filter(({ name }) => isChosen(name, options.profiles));
  const isWanted = (step: string, profile: Profile): boolean =>
    isChosen(timeOf(step, profile), options.workloads);
  const stages = profiles.flatMap((profile) =>
    parts.scenes
      .filter(({ steps }) => steps.some(({ name }) => isWanted(name, profile)))
      .map((scene) => ({ profile, scene })),
  );
  const played = stages.flatMap(({ scene }) => scene.steps);
  const players: readonly Player[] = [...ours, ...peers, ...OTHERS].filter(
    (player) => isChosen(player.name, options.subjects) && played.some((step) => canPlay(player, step)),
  );
  const testbed = await Testbed.open(profiles);
  const buckets = new Buckets(testbed);
  const notes = new Set([...parts.notes, ...subjectNotes]);
  const checks = { ...(await checkDisk()), ...(await checkNetworks(testbed, profiles)) };
  const requests = new Map<string, RequestCounts>();
  const peerNames = peers.map(({ name }) => name);
  let isClosed = false;
  return {
    title: parts.title,
    workloads: workloadsOf(
      stages.flatMap(({ profile, scene }) =>
        scene.steps.filter(({ name }) => isWanted(name, profile)).map(({ name }) => timeOf(name, profile)),
      ),
    ),
    subjects: players.map(({ name }) => name),
    rivals: [
      { name: BEST_PEER, subjects: peerNames },
      ...parts.rivals(peerNames),
      ...OTHERS.filter((other) => players.includes(other)).map(({ name }) => ({ name, subjects: [name] })),
    ],
    bars: parts.bars,
    get notes() {
      return [...notes];
    },
    checks,
    get details() {
      return [...requests].map(requestLine);
    },
    stages: stages.map(stageOf),
    close: async () => {
      isClosed = true;
      await disposeOfMounts();
      await testbed.close();
      await parts.close();
    },
  };

  function stageOf({ profile, scene }: { readonly profile: Profile; readonly scene: Scene }): Stage {
    return {
      name: scene.steps.map(({ name }) => timeOf(name, profile)).join(', '),
      measure: async (subject, takeDown) => {
        // An interrupted run fails where it is, and must not go on with another mount.
        if (isClosed) throw new Error('the bench ends');
        const player = players.find(({ name }) => name === subject);
        if (player === undefined) throw new Error(`there is no subject ${subject}`);
        if (!scene.steps.some((step) => canPlay(player, step))) return;
        try {
          await buckets.use(scene.contents, (bucket) =>
            playScene(testbed, { scene, profile, player, bucket }, (step, result) => {
              if (!isWanted(step.name, profile)) return;
              const time = timeOf(step.name, profile);
              for (const [name, value] of valuesOf(time, result)) takeDown(name, value);
              requests.set(`${subject}, ${time}`, result.traffic.requests);
            }),
          );
        } catch (error) {
          // A peer that fails is a finding; a failure of ours is one of the bench.
          if (!peerNames.includes(subject)) throw error;
          notes.add(
            `${subject}, ${profile.name}: failed: ${error instanceof Error ? error.message : String(error)}`,
          );
        }
      },
    };
  }
}

function requestLine([who, counts]: readonly [string, RequestCounts]): string {
  const kinds = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return `${who}: ${kinds.map(([kind, count]) => `${count} ${kind}`).join(', ')}`;
}
