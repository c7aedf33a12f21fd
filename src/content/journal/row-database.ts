/**
 * How do rows get onto the disk, all or nothing, and in the order in which they were asked for?
 *
 * Changes that come while a commit runs go together into the next: one sync of the disk serves many. After a failed write the
 * end of the database's log may be half a record, and what is written behind it would be lost at the next start; so the
 * database is closed and opened again, which cuts the log, before anything else is written.
 */
import { ClassicLevel } from 'classic-level';
import { systemErrorCode } from '../../base/errors.ts';
import { SharedRun } from '../../base/shared-run.ts';

export type RowChange =
  | { readonly type: 'put'; readonly key: string; readonly value: string }
  | { readonly type: 'del'; readonly key: string };

/** `isOwed`: it is made with a later commit when this one fails. */
interface PendingChange {
  readonly change: RowChange;
  readonly isOwed: boolean;
  readonly durability: Durability;
}

/** `synced` outlives a power failure, `written` only the process. */
export type Durability = 'synced' | 'written';

const NAMES_AT_ONCE = 1000;

/** Another process has it open, or this one has it twice. */
export class DatabaseLocked extends Error {
  override readonly name = 'DatabaseLocked';
}

/** Rows by name, in the order of their names as UTF-8. `close` comes last. */
export class RowDatabase {
  readonly #level: ClassicLevel;
  readonly #commits = new SharedRun(() => this.#commit());
  #pending: PendingChange[] = [];
  #isDoubtful = false;
  #isClosed = false;

  private constructor(level: ClassicLevel) {
    this.#level = level;
  }

  /** Made when missing. Rejects with `DatabaseLocked`, or with what the database says of its damage or of the disk. */
  static async open(directory: string): Promise<RowDatabase> {
    const level = new ClassicLevel(directory, { keyEncoding: 'utf8', valueEncoding: 'utf8' });
    await openLevel(level);
    return new RowDatabase(level);
  }

  /**
   * Resolves when all of `changes` are made. After a rejection (the disk's, as the database tells it) they are made all or not
   * at all, and nobody knows which before the next start; the next commit is tried afresh.
   */
  commit(changes: readonly RowChange[], durability: Durability): Promise<void> {
    if (changes.length === 0) return Promise.resolve();
    this.#add(changes, false, durability);
    return this.#commits.run();
  }

  /**
   * `changes` are made with the next commit that succeeds, whoever asks for it, or by `close`: a commit of their own would be too
   * much. What is asked for the same rows afterwards comes after them.
   */
  alongWithNext(changes: readonly RowChange[], durability: Durability = 'written'): void {
    this.#add(changes, true, durability);
  }

  /** Makes what was asked for so far. Rejects as `commit`; what is to go along with the next commit then still does. */
  write(): Promise<void> {
    return this.#commits.run();
  }

  /** As committed. */
  get(key: string): Promise<string | undefined> {
    return this.#level.get(key);
  }

  /** The rows from `start` up to but not including `end`, as committed when asked. */
  async *range(start: string, end: string): AsyncGenerator<[string, string]> {
    for await (const row of this.#level.iterator({ gte: start, lt: end })) yield row;
  }

  /** The names of the rows in such a range, many at a time. */
  async *names(start: string, end: string): AsyncGenerator<string[]> {
    const keys = this.#level.keys({ gte: start, lt: end });
    try {
      for (;;) {
        const names = await keys.nextv(NAMES_AT_ONCE);
        if (names.length === 0) return;
        yield names;
      }
    } finally {
      await keys.close();
    }
  }

  /** The first row of such a range. */
  async first(start: string, end: string): Promise<[string, string] | undefined> {
    for await (const row of this.range(start, end)) return row;
    return undefined;
  }

  /** Ends after the commits asked for so far. `lost` hears why the last one failed: nobody may have asked for its rows. */
  async close(lost: (error: unknown) => void = () => undefined): Promise<void> {
    await this.write().catch(lost);
    this.#isClosed = true;
    await this.#level.close();
  }

  #add(changes: readonly RowChange[], isOwed: boolean, durability: Durability): void {
    // One by one: there may be more than a call takes parameters.
    for (const change of changes) this.#pending.push({ change, isOwed, durability });
  }

  async #commit(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    try {
      if (pending.length > 0) await this.#make(pending);
    } catch (error) {
      this.#pending = [...pending.filter(({ isOwed }) => isOwed), ...this.#pending];
      throw error;
    }
  }

  async #make(pending: readonly PendingChange[]): Promise<void> {
    // It would be opened again, and be locked for whoever comes next.
    if (this.#isClosed) throw new Error('the database is closed');
    if (this.#isDoubtful) await this.#reopen();
    const changes = pending.map(({ change }) => change);
    const sync = pending.some(({ durability }) => durability === 'synced');
    try {
      await this.#level.batch(changes, { sync });
    } catch (error) {
      this.#isDoubtful = true;
      throw error;
    }
  }

  async #reopen(): Promise<void> {
    await this.#level.close();
    await openLevel(this.#level);
    this.#isDoubtful = false;
  }
}

async function openLevel(level: ClassicLevel): Promise<void> {
  try {
    await level.open();
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    if (systemErrorCode(cause) !== 'LEVEL_LOCKED') throw cause;
    throw new DatabaseLocked('the database is in use', { cause });
  }
}
