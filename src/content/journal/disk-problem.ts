/**
 * A database did not open, or did not take a row: is the disk to blame? The database says only that something went wrong, so the
 * disk is asked: it must have room, and take and keep a few bytes.
 */
import { randomUUID } from 'node:crypto';
import { access, constants, open, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';

/** Bytes that a database may need to start with. */
const LEAST_ROOM = 1024 * 1024;
const PROBE_SIZE = 64 * 1024;

/** The Node system error (`ENOSPC`, `EROFS`, `EMFILE`) that a writer to `directory` gets now; undefined when all is well. */
export async function diskProblem(directory: string): Promise<Error | undefined> {
  const path = join(directory, `probe-${randomUUID()}`);
  try {
    const { bavail, bsize } = await statfs(directory);
    if (bavail * bsize < LEAST_ROOM) {
      throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
    }
    await writeProbe(path);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error('the disk cannot be used', { cause: error });
  }
}

/**
 * The Node system error (`EACCES`) that keeps this user from a database; undefined when none does. Its files are another user's after a mount by
 * sudo(8) that was killed, or a backup that root brought back: that is mended, and all of it is there then.
 */
export async function deniedIn(database: string): Promise<Error | undefined> {
  try {
    await access(database, constants.R_OK | constants.W_OK | constants.X_OK);
    for (const name of await readdir(database))
      await access(join(database, name), constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    const isDenied = error instanceof Error && ['EACCES', 'EPERM'].includes(systemErrorCode(error) ?? '');
    return isDenied ? error : undefined;
  }
}

async function writeProbe(path: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.write(new Uint8Array(PROBE_SIZE));
    await handle.sync();
  } finally {
    await handle.close();
    await rm(path, { force: true });
  }
}
