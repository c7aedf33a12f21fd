/** How is one scene played by one subject, and what is measured of each step? */
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from '../frame/programs.ts';
import { HttpFloor } from '../floor/http-floor.ts';
import { mountProgram, type ProgramMount } from '../mounts/mounted-program.ts';
import { peakBytes, processorSeconds, resetPeak } from '../mounts/process-usage.ts';
import type { BucketAddress } from '../mounts/subjects.ts';
import type { ExpectedFile } from '../store/held-files.ts';
import { canPlay, type Player } from './players.ts';
import type { Profile } from './profiles.ts';
import type { Afterwards, Scene, Step } from './scenes.ts';
import type { Testbed, Traffic } from './testbed.ts';

/** What a step came to. */
export interface StepResult {
  /** Until the store held what it must. */
  readonly seconds: number;
  readonly traffic: Traffic;
  /** Of the process that serves the mount. */
  readonly usage: { readonly processorSeconds: number; readonly peakBytes: number } | undefined;
}

/** Takes part in a scene. */
interface Actor {
  act(step: Step, afterwards: Afterwards): Promise<void>;
  readonly pid: number | undefined;
  dispose(): Promise<void>;
}

/** After the last program has ended. */
const HOLD_LIMIT_MS = 300_000;
const HOLD_PAUSE_MS = 10;
/** No step of any subject takes so long. */
const STEP_LIMIT_MS = 1_200_000;
const SYNC_LIMIT_MS = 120_000;
/** What proc(5) calls dropping pages, names and attributes. */
const DROP_ALL = '3';

interface Turn {
  readonly scene: Scene;
  readonly profile: Profile;
  readonly player: Player;
  /** Holds what the scene asks for. */
  readonly bucket: string;
}

/** Plays the steps that the player can. Rejects when one fails, naming it, with nothing left mounted. */
export async function playScene(
  testbed: Testbed,
  { scene, profile, player, bucket }: Turn,
  tell: (step: Step, result: StepResult) => void,
): Promise<void> {
  const actor = await actorOf(player, testbed.addressOf(bucket, profile));
  try {
    for (const step of scene.steps.filter((each) => canPlay(player, each))) {
      const result = await playStep(testbed, { step, profile, bucket, actor }).catch((error: unknown) => {
        throw new Error(`in "${step.name}"`, { cause: error });
      });
      tell(step, result);
    }
  } finally {
    await actor.dispose();
  }
}

async function actorOf(player: Player, address: BucketAddress): Promise<Actor> {
  if ('serving' in player) {
    const mount: ProgramMount = await mountProgram(player.serving(address));
    return {
      act: (step, afterwards) => step.onMount(mount.path, afterwards),
      pid: mount.pid,
      dispose: () => mount.dispose(),
    };
  }
  if ('width' in player) {
    const floor = new HttpFloor(address, player.width);
    return {
      act: async (step, afterwards) => step.onFloor?.(floor, afterwards),
      pid: undefined,
      dispose: () => floor.close(),
    };
  }
  return { act: async (step) => step.onDisk?.(), pid: undefined, dispose: () => Promise.resolve() };
}

interface Playing {
  readonly step: Step;
  readonly profile: Profile;
  readonly bucket: string;
  readonly actor: Actor;
}

async function playStep(testbed: Testbed, { step, profile, bucket, actor }: Playing): Promise<StepResult> {
  const { pid } = actor;
  if (step.dropsCaches === true) await dropCaches();
  await testbed.takeTraffic(profile);
  const usedBefore = pid === undefined ? 0 : await processorSeconds(pid);
  if (pid !== undefined) await resetPeak(pid);
  const checks: (() => void)[] = [];
  const start = performance.now();
  await withinLimit(actor.act(step, (check) => checks.push(check)));
  const end = step.holds === undefined ? performance.now() : await whenHeld(testbed, bucket, step.holds);
  const usage =
    pid === undefined
      ? undefined
      : { processorSeconds: (await processorSeconds(pid)) - usedBefore, peakBytes: await peakBytes(pid) };
  const traffic = await testbed.takeTraffic(profile);
  for (const check of checks) check();
  return { seconds: (end - start) / 1000, traffic, usage };
}

/** What is not on the disk yet cannot be forgotten. */
async function dropCaches(): Promise<void> {
  await run('sync', [], SYNC_LIMIT_MS);
  await writeFile('/proc/sys/vm/drop_caches', DROP_ALL);
}

/** A program that waits for a mount that hangs ends only with the mount. */
async function withinLimit(act: Promise<void>): Promise<void> {
  const over = new AbortController();
  const limit = sleep(STEP_LIMIT_MS, undefined, { signal: over.signal }).then(() => {
    throw new Error('it took too long');
  });
  try {
    await Promise.race([act, limit]);
  } finally {
    over.abort();
    await limit.catch(() => undefined);
  }
}

/** The moment from which on it was so, as far as we looked. */
async function whenHeld(testbed: Testbed, bucket: string, files: readonly ExpectedFile[]): Promise<number> {
  const limit = performance.now() + HOLD_LIMIT_MS;
  for (;;) {
    // Before the look: to look takes time, too.
    const moment = performance.now();
    if (await testbed.holds(bucket, files)) return moment;
    if (moment > limit) throw new Error('the store does not hold what it should');
    await sleep(HOLD_PAUSE_MS);
  }
}
