/**
 * In which other places have mounts of this user kept what they had not stored? Who keeps it elsewhere than in the default state
 * home leaves a pointer there, so that `pailfs uploads` finds it.
 *
 * No lock is needed, and a process may be killed anywhere: a pointer is never changed, and its name never used again. A mount first
 * claims its state directory, then leaves its pointer; who removes pointers first reads which there are, then looks for owners and for
 * what is left. So nobody removes the pointer of a mount that began meanwhile.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { systemErrorCode } from '../../base/errors.ts';
import { nodeLocalFiles } from '../../content/local-files.ts';
import { changesLeftIn } from '../../filesystem/left-behind/changes-left.ts';
import { listLeftDirectories } from './left-directories.ts';
import type { MountSettings } from '../settings/settings.ts';

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
/** In the default state home; no bucket's directory has such a name. */
const POINTERS = 'elsewhere';

export interface PointedHome {
  /** Canonical, when it was last there. */
  readonly path: string;
  /** The files that name it. */
  readonly pointers: readonly string[];
}

type Homes = Pick<MountSettings, 'stateDir' | 'defaultStateDir'>;

/**
 * For a mount that has claimed its state directory: when this resolves, its home is found also after a crash. Rejects with the
 * disk's error.
 */
export async function leavePointer({ stateDir, defaultStateDir }: Homes): Promise<void> {
  const home = await realpath(stateDir);
  if (home === (await canonicalDirectory(defaultStateDir))) return;
  const before = await pointersTo(home, defaultStateDir);
  const directory = join(defaultStateDir, POINTERS);
  await makeDirectory(directory);
  const file = await open(join(directory, `${randomUUID()}.json`), 'wx', FILE_MODE);
  try {
    await file.writeFile(JSON.stringify(home));
    await file.sync();
  } finally {
    await file.close();
  }
  await nodeLocalFiles.syncDirectory(directory);
  // Those of mounts that were killed would grow in number.
  await removePointers(before);
}

/** For a mount that has ended: takes the pointers to its home away, unless anything is left there or anybody uses it. Rejects as `leavePointer`. */
export async function removeIdlePointers({ stateDir, defaultStateDir }: Homes, clock: Clock): Promise<void> {
  const home = await canonicalDirectory(stateDir);
  const pointers = await pointersTo(home, defaultStateDir);
  if (pointers.length === 0) return;
  const { directories, unreadable } = await listLeftDirectories(home);
  // Where there is none at all this is not what was pointed to: a disk may be missing.
  if (directories.length === 0 || unreadable.length > 0 || directories.some(({ isOwned }) => isOwned)) return;
  for (const { path } of directories) if ((await changesLeftIn(path, clock)).length > 0) return;
  await removePointers(pointers);
}

export async function removePointers(pointers: readonly string[]): Promise<void> {
  for (const pointer of pointers) await rm(pointer, { force: true });
}

/** All that are pointed to. Rejects with the disk's error. */
export async function pointedHomes(defaultStateDir: string): Promise<readonly PointedHome[]> {
  const found = new Map<string, string[]>();
  for (const pointer of await pointersIn(join(defaultStateDir, POINTERS))) {
    const path = await homeOf(pointer);
    if (path !== undefined) found.set(path, [...(found.get(path) ?? []), pointer]);
  }
  return [...found].map(([path, pointers]) => ({ path, pointers }));
}

/** One name for all spellings; `path` itself where that cannot be found out, which whoever looks there is told. */
export async function canonicalDirectory(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** With what it lies in. Not by `recursive`: where nothing can be made, as below /proc, Node tries that for ever. */
async function makeDirectory(path: string, isLastTry = false): Promise<void> {
  try {
    await mkdir(path, { mode: DIRECTORY_MODE });
    await nodeLocalFiles.syncDirectory(dirname(path));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || isLastTry) throw error;
    await makeDirectory(dirname(path));
    await makeDirectory(path, true);
  }
}

async function pointersTo(home: string, defaultStateDir: string): Promise<readonly string[]> {
  return (await pointedHomes(defaultStateDir)).find(({ path }) => path === home)?.pointers ?? [];
}

async function pointersIn(directory: string): Promise<readonly string[]> {
  try {
    const names = await readdir(directory);
    return names.filter((name) => name.endsWith('.json')).map((name) => join(directory, name));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Undefined when it was just removed, or never written to its end: then its mount was never ready. */
async function homeOf(pointer: string): Promise<string | undefined> {
  try {
    return z.string().safeParse(JSON.parse(await readFile(pointer, 'utf8'))).data;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
