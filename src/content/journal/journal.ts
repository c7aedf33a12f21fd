/**
 * What was promised and is not on the service yet? Rows in a small database, on the disk before anybody is told.
 *
 * A journal is read once, when it is opened; from then on the process knows what is in it, and only writes. What cannot be read
 * is never a reason not to mount: a damaged row is put aside inside the database, a damaged database beside it. The bytes are
 * in drafts, which say themselves what they are (draft-header.ts).
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { nodeLocalFiles } from '../local-files.ts';
import { diskProblem } from './disk-problem.ts';
import { JournalContents } from './journal-contents.ts';
import { rowName, type TableName, type TableRecords } from './records.ts';
import { DatabaseLocked, RowDatabase, type RowChange } from './row-database.ts';
import { rowText } from './row-text.ts';

/** One row that shall be there, or be gone. Made by `put` and `remove`. */
export type JournalChange = RowChange;

/** For what a journal is opened. */
export interface JournalPlace {
  /** Existing state directory of this mount alone. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** A later pailfs wrote it: this one would lose what it does not understand. */
export class JournalTooNew extends Error {
  override readonly name = 'JournalTooNew';
}

const FORMAT = 1;
const FOLDER = 'journal';
const HEAD = 'head';

const head = z.object({ format: z.int(), id: z.string() });

/** The change that makes `record` the one of its name in `table`. */
export function put<Name extends TableName>(table: Name, record: TableRecords[Name]): JournalChange {
  const key = rowName(table, record);
  return { type: 'put', key, value: rowText(key, record) };
}

/** The change after which `table` has no record of the name that `record` has. */
export function remove<Name extends TableName>(table: Name, record: TableRecords[Name]): JournalChange {
  return { type: 'del', key: rowName(table, record) };
}

/** One mount's journal. `close` comes last. */
export class Journal {
  /** What it held when it was opened. */
  readonly contents: JournalContents;
  /** Of this journal and no other, wherever its directory goes. */
  readonly id: string;
  readonly #rows: RowDatabase;
  readonly #directory: string;
  #sequence: number;

  private constructor(directory: string, rows: RowDatabase, id: string, contents: JournalContents) {
    this.#directory = directory;
    this.#rows = rows;
    this.id = id;
    this.contents = contents;
    this.#sequence = contents.highestSequence;
  }

  /**
   * Made when missing; one that cannot be read is moved aside, and an empty one takes its place. Rejects with `DatabaseLocked`,
   * `JournalTooNew`, or the disk's error when the disk is to blame (full, read-only).
   */
  static async open(place: JournalPlace): Promise<Journal> {
    try {
      return await Journal.#openWhole(place);
    } catch (error) {
      if (error instanceof DatabaseLocked || error instanceof JournalTooNew) throw error;
      const problem = await diskProblem(place.directory);
      if (problem !== undefined) throw problem;
      await moveAside(place, error);
      return Journal.#openWhole(place);
    }
  }

  /** Higher than any that waits here; for what comes now. */
  nextSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  /**
   * Resolves when all of `changes` are on the disk. Commits are made in the order of the calls. After a rejection (a Node system
   * error) they are made all or not at all, and nobody knows which before the next start.
   */
  async commit(changes: readonly JournalChange[]): Promise<void> {
    try {
      await this.#rows.commit(changes, 'synced');
    } catch (error) {
      const problem = await diskProblem(this.#directory);
      throw (
        problem ?? Object.assign(new Error('the journal took no record', { cause: error }), { code: 'EIO' })
      );
    }
  }

  async close(): Promise<void> {
    await this.#rows.close();
  }

  static async #openWhole(place: JournalPlace): Promise<Journal> {
    const { directory, log } = place;
    const path = join(directory, FOLDER);
    await mkdir(path, { recursive: true, mode: 0o700 });
    await nodeLocalFiles.syncDirectory(directory);
    const rows = await RowDatabase.open(path);
    try {
      const contents = await JournalContents.read(rows, HEAD);
      const known = contents.head(HEAD, head);
      if (known !== undefined && known.format > FORMAT) {
        throw new JournalTooNew(`a later pailfs wrote the journal in ${directory}`);
      }
      for (const { name, reason } of contents.damaged) {
        log.error('a record of the journal is damaged and was put aside', { name, reason });
      }
      const id = known?.id ?? randomUUID();
      const value = rowText(HEAD, { format: FORMAT, id });
      await rows.commit([...contents.repairs(), { type: 'put', key: HEAD, value }], 'synced');
      return new Journal(directory, rows, id, contents);
    } catch (error) {
      await rows.close();
      throw error;
    }
  }
}

/** Nothing of a damaged journal is deleted: somebody may know how to read it. */
async function moveAside(place: JournalPlace, cause: unknown): Promise<void> {
  const { directory, clock, log } = place;
  const to = join(directory, `${FOLDER}.damaged-${clock.now()}-${randomUUID().slice(0, 8)}`);
  await rename(join(directory, FOLDER), to);
  await nodeLocalFiles.syncDirectory(directory);
  log.error('the journal cannot be read and was moved aside; drafts are found by their headers', {
    to,
    cause: describeError(cause),
  });
}
