/** What if a database on the disk cannot be read? It is moved aside and an empty one takes its place: the mount goes on. */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { nodeLocalFiles } from '../local-files.ts';
import { deniedIn, diskProblem } from './disk-problem.ts';
import { DatabaseLocked, RowDatabase } from './row-database.ts';

/** For what a database is opened. */
export interface DatabasePlace {
  /** Existing state directory of this mount alone. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** A later pailfs wrote it: this one would lose what it does not understand. */
export class DatabaseTooNew extends Error {
  override readonly name = 'DatabaseTooNew';

  /** `directory`: in which it is. */
  constructor(directory: string) {
    super(`a later pailfs wrote the journal in ${directory}`);
  }
}

/**
 * The database `name` in the place, made when missing, as `read` makes of it. When that fails it is read once more, empty.
 * Rejects with `DatabaseLocked`, `DatabaseTooNew`, or the disk's error when the disk is to blame (full, read-only), or the
 * database is another user's.
 */
export async function openOrMoveAside<Opened>(
  place: DatabasePlace,
  name: string,
  read: (rows: RowDatabase) => Promise<Opened>,
): Promise<Opened> {
  try {
    return await openIn(place, name, read);
  } catch (error) {
    if (error instanceof DatabaseLocked || error instanceof DatabaseTooNew) throw error;
    const problem = (await diskProblem(place.directory)) ?? (await deniedIn(join(place.directory, name)));
    if (problem !== undefined) throw problem;
    await moveAside(place, name, error);
    return openIn(place, name, read);
  }
}

async function openIn<Opened>(
  { directory, log }: DatabasePlace,
  name: string,
  read: (rows: RowDatabase) => Promise<Opened>,
): Promise<Opened> {
  const path = join(directory, name);
  await mkdir(path, { recursive: true, mode: 0o700 });
  await nodeLocalFiles.syncDirectory(directory);
  await refuseHeadless(path);
  const rows = await RowDatabase.open(path);
  try {
    const passedOver = await passedOverIn(path);
    if (passedOver !== '')
      log.error('records of a local database are damaged and lost', { name, cause: passedOver });
    return await read(rows);
  } catch (error) {
    await rows.close();
    throw error;
  }
}

/** Nothing of a damaged database is deleted: somebody may know how to read it. */
async function moveAside(
  { directory, clock, log }: DatabasePlace,
  name: string,
  cause: unknown,
): Promise<void> {
  const to = join(directory, `${name}.damaged-${clock.now()}-${randomUUID().slice(0, 8)}`);
  await rename(join(directory, name), to);
  await nodeLocalFiles.syncDirectory(directory);
  log.error('a local database cannot be read and was moved aside', { name, to, cause: describeError(cause) });
}

/** Without the file that says which are its tables the database would take itself for new, and delete them. */
async function refuseHeadless(path: string): Promise<void> {
  const names = await readdir(path);
  const isHeadless = !names.includes('CURRENT') && names.some((name) => /\.(ldb|log)$|^MANIFEST-/.test(name));
  if (isHeadless) throw new Error('its file CURRENT is missing');
}

/** What the database says in its own log that it has passed over: it opens all the same, and tells nobody else. */
async function passedOverIn(path: string): Promise<string> {
  const text = await readFile(join(path, 'LOG'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line.includes('(ignoring error)'))
    .join('; ');
}
