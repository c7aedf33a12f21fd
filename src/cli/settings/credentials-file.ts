/**
 * What does a credentials file say? TOML, and nothing else in it:
 *
 *     access_key_id = "..."
 *     secret_access_key = "..."
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { inWords } from '../../base/errors.ts';
import type { Credentials } from '../../client/credentials.ts';
import { CommandError, usageError } from '../command-error.ts';
import { parseToml } from './config-file.ts';
import { credentialKeys, credentialsOf } from './credential-document.ts';

/** Group and others. */
const FOREIGN_PERMISSIONS = 0o077;
/** Bytes; two short lines are far less. */
const MAX_SIZE = 64 * 1024;

/** Refused unless only `uid` can read and change it. Rejects with a usage error that names the file and repeats nothing of it. */
export async function readCredentialsFile(path: string, uid: number): Promise<Credentials> {
  const name = `credentials file ${path}`;
  const document = parseToml(name, await readOwnFile(path, uid));
  const unknown = Object.keys(document).find((key) => !credentialKeys.includes(key));
  if (unknown !== undefined) {
    throw usageError(`${name}: there is no key ${unknown}: it holds ${credentialKeys.join(' and ')} only`);
  }
  const credentials = credentialsOf(document);
  if (typeof credentials === 'string') throw usageError(`${name}: ${credentials}`);
  return credentials;
}

async function readOwnFile(path: string, uid: number): Promise<string> {
  try {
    // Without waiting for a writer, should it be a pipe.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw usageError(`credentials file ${path} is not a file`);
      if (stats.uid !== uid) {
        throw usageError(
          `credentials file ${path} belongs to another user (${stats.uid}): run chown ${uid} ${path}`,
        );
      }
      if ((stats.mode & FOREIGN_PERMISSIONS) !== 0) {
        throw usageError(`credentials file ${path} is open to other users: run chmod 600 ${path}`);
      }
      if (stats.size > MAX_SIZE) throw usageError(`credentials file ${path} is too large`);
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw usageError(
      `credentials file ${path} cannot be read (${inWords(error, path)}): check --credentials-file`,
      { cause: error },
    );
  }
}
