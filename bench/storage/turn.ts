/** How is one scene played by one subject, and what is measured of each step? */
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpFloor } from '../floor/http-floor.ts';
import { mountProgram, type ProgramMount } from '../mounts/mounted-program.ts';
import { peakBytes, processorSeconds, resetPeak } from '../mounts/process-usage.ts';
import type { BucketAddress, MountSubject } from '../mounts/subjects.ts';
import type { Profile } from './profiles.ts';
import type { Scene, Step } from './scenes.ts';
import type { Testbed, Traffic } from './testbed.ts';

/** Who plays: a mount, or plain HTTP so many requests at a time. */
export type Player = MountSubject | { readonly name: string; readonly width: number };

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
  act(step: Step): Promise<void>;
  readonly pid: number | undefined;
  dispose(): Promise<void>;
}

/** After the last program has ended. */
const HOLD_LIMIT_MS = 300_000;
const HOLD_PAUSE_MS = 10;

/** Plays it in a bucket of its own. Rejects when a step fails, with nothing left mounted. */
export async function playScene(
  testbed: Testbed,
  { scene, profile, player }: { readonly scene: Scene; readonly profile: Profile; readonly player: Player },
  tell: (step: Step, result: StepResult) => void,
): Promise<void> {
  const address = await testbed.createBucket(profile);
  try {
    for (const { key, bytes } of scene.stored) await testbed.putObject(address, key, bytes);
    const actor = await actorOf(player, address);
    try {
      for (const step of scene.steps) tell(step, await playStep(testbed, { step, profile, address, actor }));
    } finally {
      await actor.dispose();
    }
  } finally {
    await testbed.deleteBucket(address);
  }
}

async function actorOf(player: Player, address: BucketAddress): Promise<Actor> {
  if ('width' in player) {
    const floor = new HttpFloor(address, player.width);
    return { act: (step) => step.onFloor(floor), pid: undefined, dispose: () => floor.close() };
  }
  const mount: ProgramMount = await mountProgram(player.serving(address));
  return { act: (step) => step.onMount(mount.path), pid: mount.pid, dispose: () => mount.dispose() };
}

interface Playing {
  readonly step: Step;
  readonly profile: Profile;
  readonly address: BucketAddress;
  readonly actor: Actor;
}

async function playStep(testbed: Testbed, { step, profile, address, actor }: Playing): Promise<StepResult> {
  const { pid } = actor;
  await testbed.takeTraffic(profile);
  const usedBefore = pid === undefined ? 0 : await processorSeconds(pid);
  if (pid !== undefined) await resetPeak(pid);
  const start = performance.now();
  await actor.act(step);
  const end = await whenHeld(testbed, address, step);
  const usage =
    pid === undefined
      ? undefined
      : { processorSeconds: (await processorSeconds(pid)) - usedBefore, peakBytes: await peakBytes(pid) };
  return { seconds: (end - start) / 1000, traffic: await testbed.takeTraffic(profile), usage };
}

/** The moment from which on it was so, as far as we looked. */
async function whenHeld(testbed: Testbed, address: BucketAddress, step: Step): Promise<number> {
  const limit = performance.now() + HOLD_LIMIT_MS;
  for (;;) {
    // Before the look: to look takes time, too.
    const moment = performance.now();
    if (await testbed.holds(address, step.holds)) return moment;
    if (moment > limit) throw new Error(`the store does not hold what ${step.name} should have left`);
    await sleep(HOLD_PAUSE_MS);
  }
}
