/**
 * A mount is killed again and again within the rename of a folder, each time at another request. Then the folder must be under one
 * of its names, every file of it once, whole, and as public as it was.
 */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { namesBelow } from '../model/service-contents.ts';
import { uploadOf } from '../support/embedded-service.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { Chance } from './chance.ts';
import { CrashScene, type Mode } from './crash-scene.ts';
import { differences, type Step, type World } from './world.ts';

export interface FolderKillRun {
  readonly mode: Mode;
  readonly kills: number;
  readonly seed: number;
}

export interface FolderTally {
  /** Kills within the rename. */
  readonly within: number;
  /** Kills while an earlier one was being finished. */
  readonly recoveries: number;
  /** Found under the new name in the end. */
  readonly renamed: number;
}

const FILES = 200;
const MOST_BYTES = 20_000;
const SUBFOLDERS = ['', '', 'a/', 'a/b/', 'c/'];
/** Of the requests of such a rename that store, look or delete: four a file, and two for each that is public. */
const MOST_REQUESTS = 750;
/** While what is left is being finished, of which there may be none. */
const PATIENCE_MS = 3000;
const NAMES = ['one', 'two'] as const;

/** Rejects with what was lost, half, or twice there, and with what is needed to go that way again. */
export async function killFolderRenames(run: FolderKillRun): Promise<FolderTally> {
  const scene = await CrashScene.open(run.mode);
  const chance = new Chance(run.seed);
  await fill(scene, NAMES[0], chance);
  let [from, to]: readonly [string, string] = NAMES;
  const tally = { within: 0, recoveries: 0, renamed: 0 };
  for (let kill = 0; kill < run.kills; kill += 1) {
    try {
      const before = await scene.found(from);
      const hasReturned = await killWithin(scene, { kind: 'rename', from, to, hash: '' }, chance);
      if (!hasReturned) tally.within += 1;
      if (chance.isOnceIn(3)) {
        await killRecovery(scene, chance);
        tally.recoveries += 1;
      }
      await scene.recover();
      const isRenamed = await judge(scene, before, [from, to]);
      if (hasReturned && !isRenamed) throw new Error('a rename that had returned is undone');
      if (!isRenamed) continue;
      tally.renamed += 1;
      [from, to] = [to, from];
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const text = `kill ${kill} of seed ${run.seed}, ${run.mode}: ${message}\nlog:\n${await scene.log()}`;
      throw new Error(text, { cause: error });
    }
  }
  return tally;
}

async function fill({ direct, bucket }: CrashScene, folder: string, chance: Chance): Promise<void> {
  for (let file = 0; file < FILES; file += 1) {
    const key = `${folder}/${SUBFOLDERS[file % SUBFOLDERS.length] ?? ''}${file}`;
    const bytes = patternedBytes(chance.between(0, MOST_BYTES), file + 1);
    await direct.putObject(bucket, key, uploadOf(bytes));
    if (file % 4 === 0) await direct.setVisibility(bucket, key, 'public');
  }
}

/** Whether the rename had returned before. */
async function killWithin(
  scene: CrashScene,
  step: Step & { readonly kind: 'rename' },
  chance: Chance,
): Promise<boolean> {
  const mounted = await scene.mount();
  scene.inFlight = () => [step];
  const spot = chance.pick(['rename asks', 'rename is answered'] as const);
  const sprung = scene.watched.trap(spot, chance.between(0, MOST_REQUESTS)).then(() => 'within' as const);
  const { from, to } = step;
  const renaming = rename(join(mounted.path, from), join(mounted.path, to)).then(
    () => 'returned' as const,
    (error: unknown) => error,
  );
  const outcome = await Promise.race([sprung, renaming]);
  await scene.kill(mounted, chance.isOnceIn(2));
  await renaming;
  scene.inFlight = () => [];
  if (outcome !== 'within' && outcome !== 'returned')
    throw new Error('the rename failed', { cause: outcome });
  return outcome === 'returned';
}

async function killRecovery(scene: CrashScene, chance: Chance): Promise<void> {
  const mounted = await scene.mount();
  const enough = scene.watched.requests + chance.between(0, MOST_REQUESTS);
  for (let waited = 0; waited < PATIENCE_MS && scene.watched.requests < enough; waited += 1) await pause(1);
  await scene.kill(mounted, chance.isOnceIn(2));
}

/** Whether everything is under the new name; throws when it is not wholly under one of the two. */
async function judge(
  scene: CrashScene,
  before: World,
  [from, to]: readonly [string, string],
): Promise<boolean> {
  const { direct, bucket } = scene;
  const found = await scene.found('');
  const renamed = new Map([...before].map(([key, file]) => [to + key.slice(from.length), file]));
  const isRenamed = differences(renamed, found).length === 0;
  const wrong = isRenamed ? [] : differences(before, found);
  if (wrong.length > 0)
    throw new Error(`\n${wrong.join('\n')}\nor\n${differences(renamed, found).join('\n')}`);
  const { folders } = await namesBelow(direct, bucket, '');
  const other = isRenamed ? from : to;
  const left = [...folders].filter((folder) => folder.startsWith(`${other}/`));
  const { unexplained } = await scene.leftBehind();
  const strange = [...left.map((folder) => `a folder is left: ${folder}`), ...unexplained];
  if (strange.length > 0) throw new Error(`\n${strange.join('\n')}`);
  return isRenamed;
}
