/**
 * A mount is killed again and again while programs write, each time at another moment of its work. After each kill the next mount
 * finishes what is left; then every file must be what the calls that returned have made it, or also what the one call in flight would have.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { uploadOf } from '../support/embedded-service.ts';
import type { MountedDirectory } from '../support/mounted.ts';
import { Chance } from './chance.ts';
import type { CrashPailMessage } from './crash-pail.ts';
import { CrashScene, type Mode } from './crash-scene.ts';
import { Manifest, nanoseconds, type Account } from './manifest.ts';
import { Programs } from './programs.ts';
import type { Spot } from './watched-service.ts';
import { after, differences, type World } from './world.ts';

export interface KillRun {
  readonly mode: Mode;
  readonly kills: number;
  readonly seed: number;
}

/** At which moment a mount is killed. */
const MOMENTS = {
  put: 'with a PUT in flight',
  link: 'between PUT and visibility',
  rename: 'within a rename',
  record: 'between draft fsync and record',
  recovery: 'while what the kill before had left was being finished',
  random: 'at random times',
} as const;
export type Moment = keyof typeof MOMENTS;

/** Of ten kills. */
const TEN: readonly Moment[] = [
  'put',
  'put',
  'put',
  'link',
  'rename',
  'rename',
  'record',
  'recovery',
  'random',
  'random',
];

const SPOTS: Readonly<Record<'put' | 'link' | 'rename', readonly Spot[]>> = {
  put: ['put begins', 'put has half its body', 'put is stored'],
  link: ['link is looked at', 'link is asked for'],
  rename: ['rename asks', 'rename asks', 'rename is answered'],
};
const WRITERS = 4;
const BYSTANDERS = 5;
/** In each writer's folder, so that it is never empty. */
const KEPT = 'keep';
/** For a moment to come, on a busy machine, milliseconds. */
const PATIENCE = 170_000;
/** As long as the moment may be waited for at which a link is down: programs may have made away with all public files before. */
const PATIENCE_FOR_LINKS = 20_000;

export interface Tally {
  readonly counts: Readonly<Record<Moment, number>>;
  /** Calls that promised something and returned. */
  readonly promised: number;
  /** Drafts that were set aside in the end. */
  readonly setAside: number;
}

/** `100 kills, seed 123, …`. */
export function describeTally({ mode, kills, seed }: KillRun, { counts, promised, setAside }: Tally): string {
  const moments = Object.entries(MOMENTS).map(([moment, text]) => `${counts[moment as Moment]} ${text}`);
  return `${kills} kills, seed ${seed}, ${mode}: ${moments.join(', ')}; ${promised} promises kept, ${setAside} drafts set aside`;
}

/** Rejects with what was lost, half, or changed, and with all that is needed to go that way again. */
export async function killAgainAndAgain(run: KillRun): Promise<Tally> {
  const scene = await CrashScene.open(run.mode);
  const killing = new Killing(scene, run);
  await killing.prepare();
  return killing.run();
}

class Killing {
  readonly #scene: CrashScene;
  readonly #run: KillRun;
  readonly #chance: Chance;
  readonly #programs = new Programs();
  readonly #manifest: Manifest;
  readonly #counts: Record<Moment, number> = {
    put: 0,
    link: 0,
    rename: 0,
    record: 0,
    recovery: 0,
    random: 0,
  };
  #bystanders: World = new Map();
  #killedAt = 0;

  constructor(scene: CrashScene, run: KillRun) {
    this.#scene = scene;
    this.#run = run;
    this.#chance = new Chance(run.seed);
    const worlds = Array.from({ length: WRITERS }, () => new Map());
    this.#manifest = new Manifest(join(scene.home, 'manifest'), worlds);
    scene.inFlight = () => this.#manifest.inFlight();
  }

  async prepare(): Promise<void> {
    const { direct, bucket } = this.#scene;
    for (let writer = 0; writer < WRITERS; writer += 1)
      await direct.putObject(bucket, `${folderOf(writer)}/${KEPT}`, uploadOf(`kept for ${writer}`));
    for (let file = 0; file < BYSTANDERS; file += 1) {
      const key = `bystanders/${file}`;
      await direct.putObject(bucket, key, uploadOf(`nobody touches ${file}`));
      if (file % 2 === 0) await direct.setVisibility(bucket, key, 'public');
    }
    this.#bystanders = await this.#scene.found('bystanders');
    for (const [writer, account] of this.#manifest.accounts.entries())
      account.world = await this.#scene.found(folderOf(writer));
  }

  async run(): Promise<Tally> {
    const { kills, seed, mode } = this.#run;
    const moments = Array.from({ length: Math.ceil(kills / TEN.length) }, () =>
      shuffled(TEN, this.#chance),
    ).flat();
    // Nothing is public before the first kill (`#changeVisibilities`), so no link would ever go.
    if (moments[0] === 'link') moments.splice(1, 0, ...moments.splice(0, 1));
    moments.splice(kills);
    for (const [kill, moment] of moments.entries()) {
      try {
        const was = await this.#kill(moment);
        await this.#judge();
        this.#counts[was] += 1;
        if (was !== moment) moments.push(moment);
      } catch (error) {
        const where = `kill ${kill} of seed ${seed}, ${mode}, ${MOMENTS[moment]}`;
        const flights = this.#manifest.accounts.map(({ inFlight }) => JSON.stringify(inFlight)).join('\n');
        const message = error instanceof Error ? error.message : String(error);
        const text = `${where}: ${message}\nin flight:\n${flights}\nlog:\n${await this.#scene.log()}`;
        throw new Error(text, { cause: error });
      }
      await this.#changeVisibilities();
    }
    const { setAside } = await this.#scene.leftBehind();
    return { counts: this.#counts, promised: this.#manifest.returned, setAside };
  }

  /** One kill; for `recovery` two, of which one is counted. Returns at which moment it was. */
  async #kill(moment: Moment): Promise<Moment> {
    this.#manifest.begin(this.#scene.mounts + 1);
    const mounted = await this.#scene.mount();
    const until = this.#momentOf(moment === 'recovery' ? 'put' : moment, mounted);
    // It may never come when this fails; who waits for it hears of it all the same.
    until.catch(() => undefined);
    const stopped = this.#programs.write({
      top: mounted.path,
      manifest: this.#manifest.path,
      seed: this.#chance.between(0, 2 ** 31),
      writers: this.#manifest.accounts.map(({ world }, writer) => {
        const names = [...world].map(([key, { hash }]) => [key.slice(folderOf(writer).length + 1), hash]);
        return { folder: folderOf(writer), hashes: Object.fromEntries(names) as Record<string, string> };
      }),
    });
    const hasCome = Promise.race([until, stopped]).then(() => moment);
    const was = await (moment === 'link'
      ? Promise.race([hasCome, pause(PATIENCE_FOR_LINKS, 'random' as const)])
      : orTooLate(hasCome));
    // A mount that does nothing any more is no mount without public files.
    if (was !== moment)
      await orTooLate(Promise.race([this.#requestsSeen(this.#scene.watched.requests + 1), stopped]));
    this.#killedAt = nanoseconds();
    await this.#scene.kill(mounted, this.#chance.isOnceIn(2));
    await stopped;
    if (moment === 'recovery') await this.#killRecovery();
    return was;
  }

  async #killRecovery(): Promise<void> {
    const mounted = await this.#scene.mount();
    const enough = this.#scene.watched.requests + this.#chance.between(0, 12);
    for (let waited = 0; waited < 100 && this.#scene.watched.requests < enough; waited += 1) await pause(1);
    await this.#scene.kill(mounted, this.#chance.isOnceIn(2));
  }

  /** Resolves when it has come; programs may begin now. */
  #momentOf(moment: Exclude<Moment, 'recovery'>, mounted: MountedDirectory): Promise<unknown> {
    const { watched } = this.#scene;
    const chance = this.#chance;
    if (moment === 'record')
      return mounted.call({ ask: 'hold record', skip: chance.between(0, 5) } satisfies CrashPailMessage);
    if (moment !== 'random') return watched.trap(chance.pick(SPOTS[moment]), chance.between(0, 6));
    if (chance.isOnceIn(2)) return pause(chance.between(100, 1500));
    return this.#requestsSeen(watched.requests + chance.between(10, 150));
  }

  async #requestsSeen(enough: number): Promise<void> {
    while (this.#scene.watched.requests < enough) await pause(1);
  }

  async #judge(): Promise<void> {
    this.#manifest.read();
    const { accounts } = this.#manifest;
    for (const { failure } of accounts) {
      if (failure === null || failure.at < this.#killedAt)
        throw new Error(`a call failed, but not by the kill: ${failure?.error ?? 'unknown'}`);
    }
    await this.#scene.recover();
    const faults: string[] = differences(this.#bystanders, await this.#scene.found('bystanders'));
    for (const [writer, account] of accounts.entries())
      faults.push(...settle(account, await this.#scene.found(folderOf(writer)), this.#manifest.mount));
    const all = await this.#scene.found('');
    const known = accounts.reduce((sum, { world }) => sum + world.size, this.#bystanders.size);
    if (all.size !== known && faults.length === 0) faults.push(`${all.size} files, not ${known}`);
    faults.push(...(await this.#scene.leftBehind()).unexplained);
    if (faults.length > 0) throw new Error(`\n${faults.join('\n')}`);
  }

  /** Somebody else, while nothing is mounted. */
  async #changeVisibilities(): Promise<void> {
    const { direct, bucket } = this.#scene;
    for (const account of this.#manifest.accounts) {
      const world = new Map(account.world);
      for (const [key, file] of account.world) {
        if (key.endsWith(KEPT) || !this.#chance.isOnceIn(2)) continue;
        await direct.setVisibility(bucket, key, file.isPublic ? 'private' : 'public');
        world.set(key, { ...file, isPublic: !file.isPublic });
      }
      account.world = world;
    }
  }
}

/** Takes what was found for what is, when it may be; else what is wrong with it. */
function settle(account: Account, found: World, mount: number): string[] {
  const { world, inFlight } = account;
  const before = differences(world, found);
  if (before.length === 0) return [];
  if (inFlight === null) return before;
  const done = after(world, inFlight, mount);
  const wrong = differences(done, found);
  if (wrong.length === 0) {
    account.world = done;
    return [];
  }
  const step = JSON.stringify(inFlight);
  return [`before ${step}:`, ...before, 'or after it:', ...wrong];
}

async function orTooLate<Result>(moment: Promise<Result>): Promise<Result> {
  const late = new AbortController();
  const patience = pause(PATIENCE, undefined, { signal: late.signal }).then(() => {
    throw new Error('the moment did not come');
  });
  patience.catch(() => undefined);
  try {
    return await Promise.race([moment, patience]);
  } finally {
    late.abort();
  }
}

function shuffled<Item>(items: readonly Item[], chance: Chance): Item[] {
  return items
    .map((item) => ({ item, at: chance.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

function folderOf(writer: number): string {
  return `writer-${writer}`;
}
