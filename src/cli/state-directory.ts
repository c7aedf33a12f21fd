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
import { ClaimSockets, type Claim } from './claim-sockets.ts';

const DIRECTORY_MODE = 0o700;
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
}

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
  const bucketHome = join(stateHome, stateHash(owner));
  await mkdir(bucketHome, { recursive: true, mode: DIRECTORY_MODE });
  const sockets = await ClaimSockets.open(bucketHome);
  try {
    const turn = await sockets.claimInTurn(TURN);
    try {
      return await claimAll(sockets, bucketHome);
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

function stateHash(owner: StateOwner): string {
  const named = JSON.stringify([owner.baseUrl, owner.accessKeyId, owner.bucket]);
  return createHash('sha256').update(named).digest('hex').slice(0, HASH_LENGTH);
}

/** Of the directories that are there, in order. */
async function numbersIn(bucketHome: string): Promise<readonly number[]> {
  const names = (await readdir(bucketHome)).filter((name) => /^\d+$/.test(name));
  return names.map(Number).sort((a, b) => a - b);
}
