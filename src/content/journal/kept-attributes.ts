/**
 * What did chmod, chown and utimes set, also before the last mount? For files by version: the attributes of one that somebody
 * replaced mean nothing any more.
 *
 * A database of its own: these rows are many and worth little beside unsent bytes, and damage here must not reach the journal.
 * They outlive the process, not always a power failure, since nobody who sets a mode waits for the disk.
 */
import { z } from 'zod';
import { describeError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { nameOf, parentOf } from '../../store/keys.ts';
import { localAttributes, versionFacts } from '../draft-facts.ts';
import { openOrMoveAside, type DatabasePlace } from './open-or-move-aside.ts';
import type { RowChange, RowDatabase } from './row-database.ts';
import { readRow, rowText } from './row-text.ts';

const FOLDER = 'attributes';

const fileRow = z.strictObject({ version: versionFacts, local: localAttributes });

/** The attributes of one version of a file. */
export type FileAttributes = Readonly<z.infer<typeof fileRow>>;
export type FolderAttributes = Readonly<z.infer<typeof localAttributes>>;

/** No path holds it. */
const SEPARATOR = '\0';
const AFTER_SEPARATOR = '\x01';
const AFTER_SLASH = '0';
/** Rows in memory while they are copied: there may be millions. */
const MOST_AT_ONCE = 1000;
/** Sorts after all names. */
const END = '\u{10ffff}';

const folderName = (path: string): string => `folder${SEPARATOR}${path}`;
/** All files of a folder stand together. */
const fileName = (path: string): string => ['file', parentOf(path), nameOf(path)].join(SEPARATOR);

/** By path. Reading never rejects: what cannot be read was never set. Writing rejects with what the database says. */
export class KeptAttributes {
  readonly #rows: RowDatabase;
  readonly #log: Log;

  private constructor(rows: RowDatabase, log: Log) {
    this.#rows = rows;
    this.#log = log;
  }

  /** Rejects as `openOrMoveAside`. */
  static open(place: DatabasePlace): Promise<KeptAttributes> {
    return openOrMoveAside(place, FOLDER, (rows) => Promise.resolve(new KeptAttributes(rows, place.log)));
  }

  /** Of the files directly inside the folder at `path`, by name. */
  async filesIn(path: string): Promise<ReadonlyMap<string, FileAttributes>> {
    const found = new Map<string, FileAttributes>();
    const start = `file${SEPARATOR}${path}`;
    for (const [name, text] of await this.#range(start + SEPARATOR, start + AFTER_SEPARATOR)) {
      const value = this.#value(name, text, fileRow);
      if (value !== undefined) found.set(name.slice(start.length + 1), value);
    }
    return found;
  }

  async ofFile(path: string): Promise<FileAttributes | undefined> {
    return this.#get(fileName(path), fileRow);
  }

  async ofFolder(path: string): Promise<FolderAttributes | undefined> {
    return this.#get(folderName(path), localAttributes);
  }

  /** Undefined: none. */
  setFile(path: string, value: FileAttributes | undefined): Promise<void> {
    return this.#set(fileName(path), value);
  }

  /** Undefined: none. */
  setFolder(path: string, value: FolderAttributes | undefined): Promise<void> {
    return this.#set(folderName(path), value);
  }

  /** The folder at `from`, and all below it, is at `to` now. */
  async moveFolder(from: string, to: string): Promise<void> {
    const changes: RowChange[] = [];
    for (const kind of ['file', 'folder']) {
      const start = `${kind}${SEPARATOR}${from}`;
      const rows = [
        // For a folder this is the row itself, for files those directly inside.
        ...(await this.#range(start, start + AFTER_SEPARATOR)),
        ...(await this.#range(`${start}/`, start + AFTER_SLASH)),
      ];
      for (const [name, text] of rows) {
        const value = this.#value(name, text, z.unknown());
        const moved = `${kind}${SEPARATOR}${to}${name.slice(start.length)}`;
        changes.push({ type: 'del', key: name });
        if (value !== undefined) changes.push({ type: 'put', key: moved, value: rowText(moved, value) });
      }
    }
    await this.#rows.commit(changes, 'written');
  }

  /** Takes what `other` knows of paths that this one knows nothing of. */
  async takeFrom(other: KeptAttributes): Promise<void> {
    let changes: RowChange[] = [];
    for await (const [key, value] of other.#rows.range('', END)) {
      if ((await this.#rows.get(key)) === undefined) changes.push({ type: 'put', key, value });
      if (changes.length < MOST_AT_ONCE) continue;
      await this.#rows.commit(changes, 'written');
      changes = [];
    }
    await this.#rows.commit(changes, 'written');
  }

  async close(): Promise<void> {
    await this.#rows.close();
  }

  #set(key: string, value: unknown): Promise<void> {
    const change: RowChange =
      value === undefined ? { type: 'del', key } : { type: 'put', key, value: rowText(key, value) };
    return this.#rows.commit([change], 'written');
  }

  async #get<Value>(name: string, schema: z.ZodType<Value>): Promise<Value | undefined> {
    try {
      const text = await this.#rows.get(name);
      return text === undefined ? undefined : this.#value(name, text, schema);
    } catch (error) {
      this.#unreadable(error);
      return undefined;
    }
  }

  async #range(start: string, end: string): Promise<[string, string][]> {
    const found: [string, string][] = [];
    try {
      for await (const row of this.#rows.range(start, end)) found.push(row);
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
}
