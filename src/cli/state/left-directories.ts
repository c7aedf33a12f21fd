/** Which state directories are on this machine, to which bucket does each belong, and does anybody use it? */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { ClaimSockets } from './claim-sockets.ts';
import { notedRetries, type UnreadNote } from './retry-notes.ts';
import { ABOUT, inTurn, numbersIn, stateAbout, stateHash, type StateAbout } from './state-directory.ts';

/** One of a bucket's. */
export interface LeftDirectory {
  readonly path: string;
  /** The directory of the bucket, in which it lies. */
  readonly bucketHome: string;
  readonly name: string;
  /** Null when nobody wrote that down. */
  readonly about: StateAbout | null;
  /** A process has it: what is in it may change. */
  readonly isOwned: boolean;
  /** Its number where that is `pailfs uploads retry`, and says so. */
  readonly retriedBy: number | null;
}

export interface UnreadablePlace {
  readonly path: string;
  /** What the disk said. */
  readonly error: unknown;
}

export interface LeftDirectories {
  readonly directories: readonly LeftDirectory[];
  /** Directories of buckets, in which anything may be: another user's, after a mount by sudo(8). */
  readonly unreadable: readonly UnreadablePlace[];
  /** What is listed is listed without them. */
  readonly unreadNotes: readonly UnreadNote[];
}

/** All below `stateHome`. Rejects with the disk's error when that cannot be read itself. */
export async function listLeftDirectories(stateHome: string): Promise<LeftDirectories> {
  const directories: LeftDirectory[] = [];
  const unreadable: UnreadablePlace[] = [];
  const unreadNotes: UnreadNote[] = [];
  for (const hash of await namesIn(stateHome)) {
    if (!/^[0-9a-f]+$/.test(hash)) continue;
    const path = join(stateHome, hash);
    try {
      const found = await leftIn(path);
      directories.push(...found.directories);
      unreadNotes.push(...found.unreadNotes);
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error;
      unreadable.push({ path, error });
    }
  }
  return { directories, unreadable, unreadNotes };
}

/** Those of one bucket. Rejects with the disk's error. */
export async function leftDirectoriesIn(bucketHome: string): Promise<readonly LeftDirectory[]> {
  return (await leftIn(bucketHome)).directories;
}

async function leftIn(bucketHome: string): Promise<Omit<LeftDirectories, 'unreadable'>> {
  const about = await aboutOf(bucketHome);
  const { pids, unread } = await notedRetries(bucketHome);
  const sockets = await ClaimSockets.open(bucketHome);
  try {
    const left: LeftDirectory[] = [];
    for (const name of (await numbersIn(bucketHome)).map(String)) {
      const isOwned = await sockets.isOwned(name);
      const retriedBy = isOwned ? (pids.get(name) ?? null) : null;
      left.push({ path: join(bucketHome, name), bucketHome, name, about, isOwned, retriedBy });
    }
    return { directories: left, unreadNotes: unread };
  } finally {
    await sockets.close();
  }
}

/** Runs `action` while `directory` is this process's. Undefined when somebody else has it by now. */
export async function whileClaimed<Result>(
  { bucketHome, name }: LeftDirectory,
  action: () => Promise<Result>,
): Promise<Result | undefined> {
  // Whoever starts a mount takes all that is left, or nothing.
  return inTurn(bucketHome, async (sockets) => {
    const claim = await sockets.claim(name);
    if (claim === undefined) return undefined;
    return action().finally(() => claim.release());
  });
}

/** Why nothing can be done with one that another process has. */
export function inOtherHands({ path, retriedBy }: LeftDirectory): CommandError {
  return new CommandError(
    exitCodes.failed,
    retriedBy === null
      ? `another process has ${path}, and does not answer`
      : `"pailfs uploads retry" (process ${retriedBy}) stores what is in ${path}: ask again when it has ended`,
  );
}

/** Whether these credentials are those of the mounts that left `directory`. */
export function belongsTo(directory: LeftDirectory, accessKeyId: string): boolean {
  const { about, bucketHome } = directory;
  return about !== null && stateHash({ ...about, accessKeyId }) === basename(bucketHome);
}

/** Whether a mount of `bucket` (null: of all) at `baseUrl` may have left `directory`. */
export function isOfMount(
  { about }: LeftDirectory,
  { bucket, baseUrl }: { readonly bucket: string | null; readonly baseUrl: string },
): boolean {
  return about?.baseUrl === baseUrl && (bucket === null || about.bucketName === bucket);
}

async function aboutOf(bucketHome: string): Promise<StateAbout | null> {
  try {
    const parsed = stateAbout.safeParse(JSON.parse(await readFile(join(bucketHome, ABOUT), 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT' || error instanceof SyntaxError) return null;
    throw error;
  }
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory, { withFileTypes: true }))
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
