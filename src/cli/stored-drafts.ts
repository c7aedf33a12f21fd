/**
 * Which drafts on the local disk are copies of what the service has? A program that keeps its file open beyond our end keeps its
 * draft on the disk, too; left there, it would look like unsent bytes to the next mount.
 */
import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../base/errors.ts';

/** A file's time may lag behind the clock by a tick of the kernel. */
const SLACK_MS = 100;

/**
 * Removes the drafts in a claimed state directory that nobody has changed since `storedSince` (milliseconds since 1970), when
 * storing everything began and then succeeded. Later ones hold bytes that may have come too late: they stay.
 */
export async function removeStoredDrafts(stateDirectory: string, storedSince: number): Promise<void> {
  const folder = join(stateDirectory, 'drafts');
  for (const name of await namesIn(folder)) {
    const draft = join(folder, name);
    const { mtimeMs } = await stat(draft);
    if (mtimeMs < storedSince - SLACK_MS) await unlink(draft);
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
