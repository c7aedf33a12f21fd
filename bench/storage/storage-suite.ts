/** How are mounts compared over one store? The frame of the suites that measure mounts; a suite brings its scenes and bars. */
import { describeError } from '../../src/base/errors.ts';
import {
  rivalsOf,
  type Bar,
  type Offers,
  type Rivals,
  type Stage,
  type Suite,
  type SuiteOptions,
  type TakeDown,
  type Workload,
} from '../frame/suite.ts';
import { isEnding } from '../frame/undoing.ts';
import { findSubjects, peersOf, type MountSubjects, type WantedSubjects } from '../mounts/subjects.ts';
import type { RequestCounts } from '../store/store-process.ts';
import { Buckets } from './buckets.ts';
import { checkDisk } from './disk-check.ts';
import { timeOf, valuesOf, workloadsOf } from './metrics.ts';
import { checkNetworks } from './network-check.ts';
import { Plan, playsOf, type Play } from './plan.ts';
import { BEST_PEER, OTHERS } from './players.ts';
import { PROFILES } from './profiles.ts';
import type { Scene } from './scenes.ts';
import { Testbed } from './testbed.ts';
import { playScene } from './turn.ts';

/** What a suite brings. */
export interface StorageSuiteParts {
  readonly title: string;
  readonly mounts: WantedSubjects;
  readonly scenes: readonly Scene[];
  readonly bars: readonly Bar[];
  /** Beside the floors and `BEST_PEER`, given the names of the peers. */
  readonly rivals: (peers: readonly string[]) => readonly Rivals[];
  readonly notes: readonly string[];
}

export async function openStorageSuite(options: SuiteOptions, parts: StorageSuiteParts): Promise<Suite> {
  const found = await findSubjects(parts.mounts, options.subjects);
  const plan = new Plan(options, parts.scenes, [...found.ours, ...found.peers, ...OTHERS]);
  const testbed = await Testbed.open(plan.profiles);
  const checks = { ...(await checkDisk()), ...(await checkNetworks(testbed, plan.profiles)) };
  return new StorageSuite(parts, { found, plan, testbed, checks });
}

interface Opened {
  readonly found: MountSubjects;
  readonly plan: Plan;
  readonly testbed: Testbed;
  readonly checks: Readonly<Record<string, string>>;
}

class StorageSuite implements Suite {
  readonly title: string;
  readonly workloads: readonly Workload[];
  readonly subjects: readonly string[];
  readonly rivals: readonly Rivals[];
  readonly bars: readonly Bar[];
  readonly checks: Readonly<Record<string, string>>;
  readonly offers: Offers;
  readonly stages: readonly Stage[];
  readonly #plan: Plan;
  readonly #testbed: Testbed;
  readonly #buckets: Buckets;
  readonly #peers: readonly string[];
  readonly #notes: Set<string>;
  readonly #requests = new Map<string, RequestCounts>();

  constructor(parts: StorageSuiteParts, { found, plan, testbed, checks }: Opened) {
    this.title = parts.title;
    this.workloads = workloadsOf(plan.times);
    this.subjects = plan.players.map(({ name }) => name);
    this.bars = parts.bars;
    this.checks = checks;
    this.stages = plan.plays.map((play) => this.#stageOf(play));
    this.#plan = plan;
    this.#testbed = testbed;
    this.#buckets = new Buckets(testbed);
    this.#notes = new Set([...parts.notes, ...found.notes]);
    // All of them, whoever was chosen: runs of some and runs of others are put together.
    this.#peers = peersOf(parts.mounts).map(({ name }) => name);
    const others = OTHERS.map(({ name }) => name);
    this.rivals = [
      { name: BEST_PEER, subjects: this.#peers },
      ...parts.rivals(this.#peers),
      ...rivalsOf(others.filter((name) => this.subjects.includes(name))),
    ];
    this.offers = {
      workloads: playsOf(parts.scenes, PROFILES).flatMap(({ scene, profile }) =>
        scene.steps.map(({ name }) => timeOf(name, profile)),
      ),
      subjects: [...parts.mounts.ours.map(({ name }) => name), ...this.#peers, ...others],
      profiles: PROFILES.map(({ name }) => name),
    };
  }

  get notes(): readonly string[] {
    return [...this.#notes];
  }

  get details(): readonly string[] {
    return [...this.#requests].map(requestLine);
  }

  #stageOf(play: Play): Stage {
    return {
      name: play.scene.steps.map(({ name }) => timeOf(name, play.profile)).join(', '),
      measure: async (subject, takeDown) => {
        try {
          await this.#measure(play, subject, takeDown);
        } catch (error) {
          // A peer that fails is a finding; a failure of ours is one of the bench.
          if (!this.#peers.includes(subject) || isEnding()) throw error;
          this.#notes.add(`${subject}, ${play.profile.name}: failed: ${describeError(error)}`);
        }
      },
    };
  }

  async #measure(play: Play, subject: string, takeDown: TakeDown): Promise<void> {
    const player = this.#plan.players.find(({ name }) => name === subject);
    if (player === undefined) throw new Error(`there is no subject ${subject}`);
    if (!this.#plan.takesPart(player, play)) return;
    await this.#buckets.use(play.scene.contents, (bucket) =>
      playScene(this.#testbed, { ...play, player, bucket }, (step, result) => {
        if (!this.#plan.isWanted(step, play.profile)) return;
        const time = timeOf(step.name, play.profile);
        for (const [name, value] of valuesOf(time, result)) takeDown(name, value);
        this.#requests.set(`${subject}, ${time}`, result.traffic.requests);
      }),
    );
  }
}

function requestLine([who, counts]: readonly [string, RequestCounts]): string {
  const kinds = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return `${who}: ${kinds.map(([kind, count]) => `${count} ${kind}`).join(', ')}`;
}
