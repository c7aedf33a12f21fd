/**
 * What was promised and is not on the service yet? Rows in a small database, on the disk before anybody is told.
 *
 * A journal is read once, when it is opened; from then on the process knows what is in it, and only writes. What cannot be read
 * is never a reason not to mount: a damaged row is put aside inside the database, a damaged database beside it. The bytes are
 * in drafts, which say themselves what they are (draft-header.ts).
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { describeError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { diskProblem } from './disk-problem.ts';
import { JournalContents } from './journal-contents.ts';
import { DatabaseTooNew, openOrMoveAside, type DatabasePlace } from './open-or-move-aside.ts';
import { rowName, type TableName, type TableRecords } from './records.ts';
import type { RowChange, RowDatabase } from './row-database.ts';
import { rowText } from './row-text.ts';

/** One row that shall be there, or be gone. Made by `put` and `remove`. */
export type JournalChange = RowChange;

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
  readonly #log: Log;
  #sequence: number;
  /** How often `makeLater` was called since all of that was on the disk. */
  #owing = 0;

  private constructor(
    { directory, log }: Pick<DatabasePlace, 'directory' | 'log'>,
    rows: RowDatabase,
    id: string,
    contents: JournalContents,
  ) {
    this.#directory = directory;
    this.#log = log;
    this.#rows = rows;
    this.id = id;
    this.contents = contents;
    this.#sequence = contents.highestSequence;
  }

  /**
   * Made when missing; one that cannot be read is moved aside, and an empty one takes its place. Rejects with `DatabaseLocked`,
   * `DatabaseTooNew`, or the disk's error when the disk is to blame (full, read-only).
   */
  static open(place: DatabasePlace): Promise<Journal> {
    return openOrMoveAside(place, FOLDER, (rows) => Journal.#read(place, rows));
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
    await this.#orProblem(() => this.#rows.commit(changes, 'synced'));
  }

  /** As `commit`, of what `makeLater` was given. */
  async allMade(): Promise<void> {
    const owing = this.#owing;
    if (owing === 0) return;
    await this.#orProblem(() => this.#rows.write());
    if (this.#owing === owing) this.#owing = 0;
  }

  /**
   * As `commit`, but nobody needs it on the disk: after a power failure the journal may be as before. For what has been done. After a
   * rejection the changes are still to be made, as after `forgetLater`.
   */
  async forget(changes: readonly JournalChange[]): Promise<void> {
    this.#rows.alongWithNext(changes);
    await this.#rows.write();
  }

  /** Some time: with the next commit that the disk takes, or at the end. For records that mean nothing, however often they come back. */
  forgetLater(changes: readonly JournalChange[]): void {
    this.#rows.alongWithNext(changes);
  }

  /** As `forgetLater`, of what has to be on the disk then. */
  makeLater(changes: readonly JournalChange[]): void {
    this.#rows.alongWithNext(changes, 'synced');
    this.#owing += 1;
  }

  async close(): Promise<void> {
    await this.#rows.close((error) => {
      this.#log.warn('records that mean nothing any more stay in the journal', {
        cause: describeError(error),
      });
    });
  }

  async #orProblem(commit: () => Promise<void>): Promise<void> {
    try {
      await commit();
    } catch (error) {
      const problem = await diskProblem(this.#directory);
      throw (
        problem ?? Object.assign(new Error('the journal took no record', { cause: error }), { code: 'EIO' })
      );
    }
  }

  static async #read({ directory, log }: DatabasePlace, rows: RowDatabase): Promise<Journal> {
    const contents = await JournalContents.read(rows, HEAD);
    const known = contents.head(HEAD, head);
    if (known !== undefined && known.format > FORMAT) throw new DatabaseTooNew(directory);
    for (const { name, reason } of contents.damaged) {
      log.error('a record of the journal is damaged and was put aside', { name, reason });
    }
    const id = known?.id ?? randomUUID();
    const value = rowText(HEAD, { format: FORMAT, id });
    await rows.commit([...contents.repairs(), { type: 'put', key: HEAD, value }], 'synced');
    return new Journal({ directory, log }, rows, id, contents);
  }
}
