/** Who may ask, and for what? (§5) */
import { createHash, timingSafeEqual } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../base/errors.ts';

/** §5 */
export type AccessLevel = 'read' | 'read-write';

/** An access key and what it may do (§5). */
export interface Credential {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly access: AccessLevel;
  /** Whose buckets are seen; `main` when absent. */
  readonly account?: string | undefined;
}

/** The credential that an Authorization header proves; undefined when it proves none. */
export function authenticate(
  header: string | undefined,
  credentials: readonly Credential[],
): Credential | undefined {
  const [scheme, encoded] = (header ?? '').split(/ +/, 2);
  if (scheme?.toLowerCase() !== 'basic' || encoded === undefined) return undefined;
  const [accessKeyId, ...secret] = Buffer.from(encoded, 'base64').toString().split(':');
  return credentials.find(
    (credential) =>
      isSame(credential.accessKeyId, accessKeyId ?? '') &&
      isSame(credential.secretAccessKey, secret.join(':')),
  );
}

/** Made of that many unpredictable bytes of `random`. */
export function newCredential(random: (length: number) => Uint8Array, access: AccessLevel): Credential {
  return {
    accessKeyId: `PAIL${Buffer.from(random(8)).toString('hex').toUpperCase()}`,
    secretAccessKey: Buffer.from(random(30)).toString('base64url'),
    access,
  };
}

/**
 * The credentials kept in `directory`: one that reads and writes, then one that reads. Made, readable by their owner only,
 * when there are none. Rejects when the file is there but is not ours.
 */
export async function keptCredentials(
  directory: string,
  random: (length: number) => Uint8Array,
): Promise<readonly Credential[]> {
  const path = join(directory, 'credentials.json');
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Credential[];
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw new Error(`${path} cannot be read`, { cause: error });
  }
  const credentials = [newCredential(random, 'read-write'), newCredential(random, 'read')];
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(credentials, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  return credentials;
}

/** Compares digests: neither length nor content shows in the time it takes. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
