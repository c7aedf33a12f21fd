/**
 * Which `pailfs uploads retry` has a state directory? No socket of it can be asked, as that of a mount can. So it leaves a note beside the
 * directories while it works; that of a process which is gone says nothing.
 */
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { systemErrorCode } from '../../base/errors.ts';
import { isRunning, ownIdentity } from '../found-mounts/process-identity.ts';
import type { StateDirectory } from './state-directory.ts';

const FILE_MODE = 0o600;
const NOTE_NAME = /^\d+\.retry\.json$/;

const noteSchema = z.object({
  process: z.object({ pid: z.number().int().positive(), startTime: z.string().nullable() }),
  /** Names of the directories. */
  names: z.array(z.string()),
});

/** Says that this process has `state` for a retry. Resolves with what takes that back. Both reject as node:fs does. */
export async function noteRetry({ path, adopted }: StateDirectory): Promise<() => Promise<void>> {
  const file = join(dirname(path), `${basename(path)}.retry.json`);
  const note: z.output<typeof noteSchema> = {
    process: await ownIdentity(),
    names: [path, ...adopted].map((one) => basename(one)),
  };
  const temporary = `${file}.new`;
  try {
    await writeFile(temporary, JSON.stringify(note), { mode: FILE_MODE });
    await rename(temporary, file);
  } catch (error) {
    // A full disk has room for a name, but for nothing in it.
    await rm(temporary, { force: true });
    throw error;
  }
  return () => rm(file, { force: true });
}

/** Process ids by the names of directories in `bucketHome`. Rejects with the disk's error. */
export async function notedRetries(bucketHome: string): Promise<ReadonlyMap<string, number>> {
  const pids = new Map<string, number>();
  for (const name of (await readdir(bucketHome)).filter((one) => NOTE_NAME.test(one))) {
    const note = await readNote(join(bucketHome, name));
    if (note === undefined || !(await isRunning(note.process))) continue;
    for (const directory of note.names) pids.set(directory, note.process.pid);
  }
  return pids;
}

/** Undefined when it is gone meanwhile, or damaged. */
async function readNote(file: string): Promise<z.output<typeof noteSchema> | undefined> {
  try {
    return noteSchema.safeParse(JSON.parse(await readFile(file, 'utf8'))).data;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
