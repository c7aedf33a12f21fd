/**
 * Which local directory is this mount's own, and which did dead mounts leave behind?
 *
 * `<state>/<hash of base URL, access key id, bucket>/<n>/`, where `n` is claimed by a listening unix socket beside it
 * (claim-sockets.ts). What dead mounts of the bucket left is claimed as well, all of it by the same mount: two that start at
 * once take turns, so that a directory and another one that was about to be merged into it never get two owners.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../../base/replace-file.ts';
import { ClaimSockets, type Claim } from './claim-sockets.ts';

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
/** Says what a bucket's directory is about. */
export const ABOUT = 'about.json';
/** More parallel mounts of one bucket by one user are a mistake in a script. */
const MAX_CLAIMS = 1000;
const HASH_LENGTH = 16;
/** The name of the claim that is held while directories are claimed. */
const TURN = 'turn';

export interface StateOwner {
  readonly baseUrl: string;
  readonly accessKeyId: string;
  /** Identifier. */
  readonly bucket: string;
  /** For people who look at what is left here. */
  readonly bucketName: string;
}

export const stateAbout = z.object({ baseUrl: z.string(), bucket: z.string(), bucketName: z.string() });

export type StateAbout = z.output<typeof stateAbout>;

export interface StateDirectory {
  /** Absolute path; 0700; nobody else's while this process lives. */
  readonly path: string;
  /** Directories of dead mounts of this bucket: this mount's, too. */
  readonly adopted: readonly string[];
  /** Ends all claims. A process that dies ends them as well. */
  release(): Promise<void>;
}

/**
 * Claims the first directory that nobody owns, and all others that dead mounts left. Waits for others who do the same.
 * Rejects as node:fs does (`ENOSPC`, `EACCES`).
 */
export async function claimStateDirectory(stateHome: string, owner: StateOwner): Promise<StateDirectory> {
  const bucketHome = bucketHomeOf(stateHome, owner);
  await mkdir(bucketHome, { recursive: true, mode: DIRECTORY_MODE });
  return inTurn(bucketHome, async (sockets) => {
    await writeAbout(bucketHome, owner);
    return claimAll(sockets, bucketHome);
  });
}

/** Runs `action` while nobody else claims directories in `bucketHome`; waits for who does. */
export async function inTurn<Result>(
  bucketHome: string,
  action: (sockets: ClaimSockets) => Promise<Result>,
): Promise<Result> {
  const sockets = await ClaimSockets.open(bucketHome);
  try {
    const turn = await sockets.claimInTurn(TURN);
    try {
      return await action(sockets);
    } finally {
      await turn.release();
    }
  } finally {
    await sockets.close();
  }
}

async function claimAll(sockets: ClaimSockets, bucketHome: string): Promise<StateDirectory> {
  const claims: Claim[] = [];
  const release = async (): Promise<void> => {
    for (const claim of claims.splice(0)) await claim.release();
  };
  try {
    const adopted: string[] = [];
    let own: string | undefined;
    const known = await numbersIn(bucketHome);
    for (const n of known) {
      const claim = await sockets.claim(String(n));
      if (claim === undefined) continue;
      claims.push(claim);
      const path = join(bucketHome, String(n));
      if (own === undefined) own = path;
      else adopted.push(path);
    }
    own ??= await claimUnused(sockets, bucketHome, { known: new Set(known), claims });
    await mkdir(own, { recursive: true, mode: DIRECTORY_MODE });
    return { path: own, adopted, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** The path of the first number that nobody has used. */
async function claimUnused(
  sockets: ClaimSockets,
  bucketHome: string,
  { known, claims }: { readonly known: ReadonlySet<number>; readonly claims: Claim[] },
): Promise<string> {
  for (let n = 0; n < MAX_CLAIMS; n += 1) {
    const claim = known.has(n) ? undefined : await sockets.claim(String(n));
    if (claim === undefined) continue;
    claims.push(claim);
    return join(bucketHome, String(n));
  }
  throw new Error(`more than ${MAX_CLAIMS} mounts of this bucket in ${bucketHome}`);
}

/** What the hash in the name of a bucket's directory stands for, without any credential. */
async function writeAbout(bucketHome: string, { baseUrl, bucket, bucketName }: StateOwner): Promise<void> {
  const about: StateAbout = { baseUrl, bucket, bucketName };
  await replaceFile(join(bucketHome, ABOUT), JSON.stringify(about), FILE_MODE);
}

/** Where the state directories of all mounts of a bucket are. */
export function bucketHomeOf(stateHome: string, owner: Omit<StateOwner, 'bucketName'>): string {
  return join(stateHome, stateHash(owner));
}

export function stateHash(owner: Omit<StateOwner, 'bucketName'>): string {
  const named = JSON.stringify([owner.baseUrl, owner.accessKeyId, owner.bucket]);
  return createHash('sha256').update(named).digest('hex').slice(0, HASH_LENGTH);
}

/** Of the directories that are there, in order. */
export async function numbersIn(bucketHome: string): Promise<readonly number[]> {
  const names = (await readdir(bucketHome)).filter((name) => /^\d+$/.test(name));
  return names.map(Number).sort((a, b) => a - b);
}
