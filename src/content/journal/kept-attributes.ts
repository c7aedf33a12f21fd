/**
 * What did chmod, chown and utimes set, also before the last mount? For files by version: the attributes of one that somebody
 * replaced mean nothing any more. Of folders by path, and of drafts what was set after the journal took note of them.
 *
 * A database of its own: these rows are many and worth little beside unsent bytes, and damage here must not reach the journal.
 * They outlive the process, not always a power failure, since nobody who sets a mode waits for the disk.
 */
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { nameOf, parentOf } from '../../store/keys.ts';
import { localAttributes, versionFacts } from '../draft-facts.ts';
import { GatheredRows } from './gathered-rows.ts';
import { openOrMoveAside, type DatabasePlace } from './open-or-move-aside.ts';
import type { RowChange, RowDatabase } from './row-database.ts';
import { readRow, rowText } from './row-text.ts';

const FOLDER = 'attributes';

const fileRow = z.strictObject({ version: versionFacts, local: localAttributes });
/** What rows of both kinds have, as far as it tells their age. */
const anyRow = z.object({
  ctime: z.number().optional(),
  local: z.object({ ctime: z.number().optional() }).optional(),
});

/** The attributes of one version of a file. */
export type FileAttributes = Readonly<z.infer<typeof fileRow>>;
/** Of a folder, or of a draft. */
type LocalRow = Readonly<z.infer<typeof localAttributes>>;

interface Parts {
  readonly clock: Clock;
  readonly log: Log;
  readonly mostFiles: number;
  readonly isEmpty: boolean;
}

/** No path holds it. */
const SEPARATOR = '\0';
const AFTER_SEPARATOR = '\x01';
/** Files whose rows are kept, about 200 bytes each on the disk. */
const MOST_FILES = 1_000_000;
/** How many of them stay when there are more: making room costs a look at all. */
const SHARE_KEPT = 0.9;
/** Rows in memory while they are copied or removed: there may be millions. */
const MOST_AT_ONCE = 1000;
/** Sorts after all names. */
const END = '\u{10ffff}';

const FILES = `file${SEPARATOR}`;
const AFTER_FILES = `file${AFTER_SEPARATOR}`;
const FOLDERS = `folder${SEPARATOR}`;
const AFTER_FOLDERS = `folder${AFTER_SEPARATOR}`;
const DRAFTS = `draft${SEPARATOR}`;
const AFTER_DRAFTS = `draft${AFTER_SEPARATOR}`;

/** All files of a folder stand together. */
const fileName = (path: string): string => FILES + parentOf(path) + SEPARATOR + nameOf(path);

/**
 * By path. Reading waits for what was set before, and never rejects: what cannot be read was never set. Nobody waits for writing:
 * what cannot be written is in the log.
 */
export class KeptAttributes {
  readonly #rows: RowDatabase;
  readonly #gathered: GatheredRows;
  readonly #log: Log;
  readonly #mostFiles: number;
  /** Drafts known to have a row: the end of any other costs nothing. */
  readonly #drafts = new Set<string>();
  #isEmpty: boolean;
  #isClosed = false;
  /** Files set since somebody counted. */
  #setSince = 0;
  #trimming: Promise<void> = Promise.resolve();
  /** Rows set while those set longest ago are removed: what the look has found of them is out of date. Null: none are removed. */
  #setMeanwhile: Set<string> | null = null;

  private constructor(rows: RowDatabase, { clock, log, mostFiles, isEmpty }: Parts) {
    this.#rows = rows;
    this.#gathered = new GatheredRows(rows, clock, (error) => {
      log.warn('local attributes could not be written', { cause: describeError(error) });
    });
    this.#log = log;
    this.#mostFiles = mostFiles;
    this.#isEmpty = isEmpty;
  }

  /** Rejects as `openOrMoveAside`. */
  static open(place: DatabasePlace, mostFiles = MOST_FILES): Promise<KeptAttributes> {
    return openOrMoveAside(place, FOLDER, async (rows) => {
      const isEmpty = (await rows.first('', END)) === undefined;
      const kept = new KeptAttributes(rows, { ...place, mostFiles, isEmpty });
      kept.#trim();
      return kept;
    });
  }

  /** Of the files directly inside the folder at `path`, by name. */
  filesIn(path: string): Promise<ReadonlyMap<string, FileAttributes>> {
    const start = FILES + path;
    return this.#range([start + SEPARATOR, start + AFTER_SEPARATOR], fileRow);
  }

  ofFile(path: string): Promise<FileAttributes | undefined> {
    return this.#get(fileName(path), fileRow);
  }

  /** What was set on a draft after it was recorded. */
  async ofDraft(id: string): Promise<LocalRow | undefined> {
    const row = await this.#get(DRAFTS + id, localAttributes);
    if (row !== undefined) this.#drafts.add(id);
    return row;
  }

  /** Of all folders, by path. */
  folders(): Promise<ReadonlyMap<string, LocalRow>> {
    return this.#range([FOLDERS, AFTER_FOLDERS], localAttributes);
  }

  /** Undefined: none. */
  setFile(path: string, value: FileAttributes | undefined): void {
    this.#set(fileName(path), value);
    if (value === undefined) return;
    this.#setSince += 1;
    if (this.#setSince > this.#mostFiles * (1 - SHARE_KEPT)) this.#trim();
  }

  /** Undefined: none. */
  setFolder(path: string, value: LocalRow | undefined): void {
    this.#set(FOLDERS + path, value);
  }

  /** Undefined: none. */
  setDraft(id: string, value: LocalRow | undefined): void {
    if (value !== undefined) this.#drafts.add(id);
    else if (!this.#drafts.delete(id)) return;
    this.#set(DRAFTS + id, value);
  }

  /** There are no other drafts. */
  async onlyDrafts(ids: ReadonlySet<string>): Promise<void> {
    const known = await this.#range([DRAFTS, AFTER_DRAFTS], localAttributes);
    for (const id of known.keys()) if (!ids.has(id)) this.#set(DRAFTS + id, undefined);
  }

  /** Takes what `other` knows; of what both know, what was set later. Rejects with what the database says. */
  async takeFrom(other: KeptAttributes): Promise<void> {
    if (other.#isEmpty) return;
    this.#isEmpty = false;
    await this.#gathered.written();
    await other.#gathered.written();
    let changes: RowChange[] = [];
    for await (const [key, value] of other.#rows.range('', END)) {
      const own = await this.#rows.get(key);
      if (own === undefined || ageOf(key, own) < ageOf(key, value)) changes.push({ type: 'put', key, value });
      if (changes.length < MOST_AT_ONCE) continue;
      await this.#rows.commit(changes, 'written');
      changes = [];
    }
    await this.#rows.commit(changes, 'written');
  }

  /** What was set before is written then. What is set or asked from now on is not known. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#trimming;
    await this.#gathered.written();
    await this.#rows.close();
  }

  #set(key: string, value: unknown): void {
    // Where nobody sets anything, removals cost nothing either.
    if (this.#isClosed || (this.#isEmpty && value === undefined)) return;
    this.#isEmpty = false;
    this.#setMeanwhile?.add(key);
    this.#gathered.set(
      value === undefined ? { type: 'del', key } : { type: 'put', key, value: rowText(key, value) },
    );
  }

  async #get<Value>(name: string, schema: z.ZodType<Value>): Promise<Value | undefined> {
    if (this.#isEmpty || this.#isClosed) return undefined;
    try {
      await this.#gathered.written();
      const text = await this.#rows.get(name);
      return text === undefined ? undefined : this.#value(name, text, schema);
    } catch (error) {
      this.#unreadable(error);
      return undefined;
    }
  }

  async #range<Value>(
    [start, end]: readonly [string, string],
    schema: z.ZodType<Value>,
  ): Promise<ReadonlyMap<string, Value>> {
    const found = new Map<string, Value>();
    if (this.#isEmpty || this.#isClosed) return found;
    try {
      await this.#gathered.written();
      for await (const [name, text] of this.#rows.range(start, end)) {
        const value = this.#value(name, text, schema);
        if (value !== undefined) found.set(name.slice(start.length), value);
      }
    } catch (error) {
      this.#unreadable(error);
    }
    return found;
  }

  #value<Value>(name: string, text: string, schema: z.ZodType<Value>): Value | undefined {
    const row = readRow(name, text, schema);
    if (row.kind === 'whole') return row.value;
    this.#log.warn('local attributes are damaged and count as not set', { name, reason: row.reason });
    return undefined;
  }

  #unreadable(error: unknown): void {
    this.#log.warn('local attributes cannot be read and count as not set', { cause: describeError(error) });
  }

  /** Makes room in the background when there are too many files: those set longest ago go. */
  #trim(): void {
    this.#setSince = 0;
    if (this.#isEmpty) return;
    this.#trimming = this.#trimming
      .then(() => this.#trimNow())
      .catch((error: unknown) => {
        this.#log.warn('local attributes cannot be counted', { cause: describeError(error) });
      });
  }

  async #trimNow(): Promise<void> {
    const surplus = await this.#surplus();
    if (surplus === 0) return;
    const ages: number[] = [];
    for await (const [name, text] of this.#rows.range(FILES, AFTER_FILES)) {
      if (this.#isClosed) return;
      ages.push(ageOf(name, text));
    }
    const oldestKept = Float64Array.from(ages).sort()[surplus] ?? Number.POSITIVE_INFINITY;
    this.#setMeanwhile = new Set();
    try {
      await this.#removeOlder(oldestKept, this.#setMeanwhile);
    } finally {
      this.#setMeanwhile = null;
    }
    if (this.#isClosed) return;
    this.#log.info('local attributes of the files that were set longest ago are forgotten', {
      files: surplus,
    });
  }

  async #removeOlder(oldestKept: number, setMeanwhile: ReadonlySet<string>): Promise<void> {
    await this.#gathered.written();
    let removals = 0;
    for await (const [key, text] of this.#rows.range(FILES, AFTER_FILES)) {
      if (this.#isClosed) return;
      if (ageOf(key, text) >= oldestKept || setMeanwhile.has(key)) continue;
      this.#gathered.set({ type: 'del', key });
      removals += 1;
      if (removals % MOST_AT_ONCE === 0) await this.#gathered.written();
    }
  }

  /** How many files must go. */
  async #surplus(): Promise<number> {
    let count = 0;
    for await (const names of this.#rows.names(FILES, AFTER_FILES)) {
      if (this.#isClosed) return 0;
      count += names.length;
    }
    return count > this.#mostFiles ? count - Math.floor(this.#mostFiles * SHARE_KEPT) : 0;
  }
}

/** When a row was set: with the local attributes goes their ctime. Milliseconds since 1970; 0 when it does not say. */
function ageOf(name: string, text: string): number {
  const row = readRow(name, text, anyRow);
  return row.kind === 'whole' ? ((row.value.local ?? row.value).ctime ?? 0) : 0;
}
