/**
 * Which `pailfs uploads retry` has a state directory? No socket of it can be asked, as that of a mount can. So it leaves a note beside the
 * directories while it works; that of a process which is gone says nothing.
 */
import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { inWords, systemErrorCode } from '../../base/errors.ts';
import { replaceFile } from '../../base/replace-file.ts';
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
  await replaceFile(file, JSON.stringify(note), FILE_MODE);
  return () => rm(file, { force: true });
}

export interface NotedRetries {
  /** Process ids by the names of directories. */
  readonly pids: ReadonlyMap<string, number>;
  readonly unread: readonly UnreadNote[];
}

/** A note that cannot be read, and what the disk said. */
export interface UnreadNote {
  readonly path: string;
  readonly error: unknown;
}

/** Those in `bucketHome`. Rejects with the disk's error when that cannot be read. */
export async function notedRetries(bucketHome: string): Promise<NotedRetries> {
  const pids = new Map<string, number>();
  const unread: UnreadNote[] = [];
  for (const name of (await readdir(bucketHome)).filter((one) => NOTE_NAME.test(one))) {
    const path = join(bucketHome, name);
    try {
      const note = await readNote(path);
      if (note === undefined || !(await isRunning(note.process))) continue;
      for (const directory of note.names) pids.set(directory, note.process.pid);
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error;
      unread.push({ path, error });
    }
  }
  return { pids, unread };
}

/** A line for a person. */
export function unreadNoteLine({ path, error }: UnreadNote): string {
  return `whether a "pailfs uploads retry" runs is not known, because ${path} cannot be read (${inWords(error, path)}): see whose it is, or remove it when none runs`;
}

/** Undefined when it is gone meanwhile, or damaged. Rejects with the disk's error. */
async function readNote(file: string): Promise<z.output<typeof noteSchema> | undefined> {
  try {
    return noteSchema.safeParse(JSON.parse(await readFile(file, 'utf8'))).data;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
