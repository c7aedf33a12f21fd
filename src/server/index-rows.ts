/**
 * Which buckets, files and folders are there?
 *
 * One ordered key-value store, on disk or in memory. Keys compare as UTF-8 bytes, so the files of a folder are one range and
 * a sub-folder is skipped with one seek. Changes that belong together are one batch, written durably before it resolves.
 */
import { ClassicLevel } from 'classic-level';
import { MemoryLevel } from 'memory-level';

/** A bucket as it is kept. */
export interface BucketRow {
  readonly bucket: string;
  readonly publicId: string;
  readonly name: string;
  readonly account: string;
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
  /** What is there now. */
  readonly bytes: number;
  readonly files: number;
  /** What the service tells: the figures as they were at `syncedAt` (§2.1). */
  readonly toldBytes: number;
  readonly toldFiles: number;
  readonly syncedAt: number;
  /** ACTIVE when absent. */
  readonly state?: BucketState | undefined;
}

/** §3.1 */
export interface BucketState {
  readonly status: string;
  readonly statusMessage: string | null;
}

/** A file as it is kept; its bytes are a blob. */
export interface FileRow {
  readonly kind: 'file';
  readonly blob: string;
  readonly size: number;
  readonly etag: string;
  readonly modified: number;
  readonly contentType: string;
  readonly public: boolean;
  /** Until when the permanent link goes on working although the file is private (§4.13). */
  readonly publicUntil: number;
}

/** A folder that exists by itself, not only because of what is in it. */
export interface FolderRow {
  readonly kind: 'folder';
  readonly modified: number;
}

/** What a key of a bucket can name. */
export type EntryRow = FileRow | FolderRow;

type Row = BucketRow | EntryRow | string;

/** One change of a batch. */
export type RowChange =
  | { readonly type: 'put'; readonly key: string; readonly value: Row }
  | { readonly type: 'del'; readonly key: string };

interface RowIterator {
  next(): Promise<[string, Row] | undefined>;
  seek(target: string): void;
  close(): Promise<void>;
}

/** The rows as they were at one moment. */
interface Snapshot {
  close(): Promise<void>;
}

/** What both databases offer, as far as it is used here. */
interface Rows {
  get(key: string): Promise<Row | undefined>;
  batch(changes: RowChange[], options: { sync: boolean }): Promise<void>;
  iterator(range: { gte: string; lt: string; snapshot?: Snapshot }): RowIterator;
  snapshot(): Snapshot;
  close(): Promise<void>;
}

const SEPARATOR = '\0';
/** Sorts directly after every text that begins with the separator. */
const AFTER_SEPARATOR = '\x01';

/** The key of a bucket's row. */
export const bucketKey = (account: string, bucket: string): string =>
  ['bucket', account, bucket].join(SEPARATOR);
/** The key of a file's or folder's row. */
export const entryKey = (bucket: string, key: string): string => ['entry', bucket, key].join(SEPARATOR);

/** The rows of all accounts. Rejects with faults of the disk only. */
export class Index {
  readonly #rows: Rows;
  #frozen: Snapshot | undefined;

  private constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** In memory when `directory` is null. Rejects when another process has the directory open. */
  static async open(directory: string | null): Promise<Index> {
    const options = { keyEncoding: 'utf8', valueEncoding: 'json' } as const;
    const rows =
      directory === null
        ? new MemoryLevel<string, Row>(options)
        : new ClassicLevel<string, Row>(directory, options);
    await rows.open();
    return new Index(rows);
  }

  async close(): Promise<void> {
    await this.#rows.close();
  }

  async bucket(account: string, bucket: string): Promise<BucketRow | undefined> {
    return (await this.#rows.get(bucketKey(account, bucket))) as BucketRow | undefined;
  }

  /** All buckets of an account in the order of their identifiers. */
  async buckets(account: string): Promise<BucketRow[]> {
    const found: BucketRow[] = [];
    const start = `bucket${SEPARATOR}${account}`;
    const rows = this.#rows.iterator({ gte: start + SEPARATOR, lt: start + AFTER_SEPARATOR });
    await forEach(rows, (_key, row) => found.push(row as BucketRow));
    return found;
  }

  async entry(bucket: string, key: string): Promise<EntryRow | undefined> {
    return (await this.#rows.get(entryKey(bucket, key))) as EntryRow | undefined;
  }

  /** From now on `listing` shows what there is now. */
  async freeze(): Promise<void> {
    await this.thaw();
    this.#frozen = this.#rows.snapshot();
  }

  async thaw(): Promise<void> {
    const frozen = this.#frozen;
    this.#frozen = undefined;
    await frozen?.close();
  }

  /** As `entries`, but of the moment of `freeze`. */
  listing(bucket: string, prefix: string, from: string): EntryCursor {
    return this.#cursor(bucket, prefix, from, this.#frozen);
  }

  /** Everything from key `from` on that begins with `prefix`, as of now; later changes are not seen. */
  entries(bucket: string, prefix: string, from: string): EntryCursor {
    return this.#cursor(bucket, prefix, from, undefined);
  }

  #cursor(bucket: string, prefix: string, from: string, snapshot: Snapshot | undefined): EntryCursor {
    const start = `entry${SEPARATOR}${bucket}`;
    const range = { gte: entryKey(bucket, from), lt: start + AFTER_SEPARATOR };
    const rows = this.#rows.iterator(snapshot === undefined ? range : { ...range, snapshot });
    return new EntryCursor(rows, entryKey(bucket, ''), prefix);
  }

  async secret(): Promise<string | undefined> {
    return (await this.#rows.get('secret')) as string | undefined;
  }

  /** All or nothing, durable when it resolves. */
  async commit(changes: readonly RowChange[]): Promise<void> {
    await this.#rows.batch([...changes], { sync: true });
  }

  /** The blobs that any file uses. */
  async blobs(): Promise<Set<string>> {
    const used = new Set<string>();
    const rows = this.#rows.iterator({ gte: `entry${SEPARATOR}`, lt: `entry${AFTER_SEPARATOR}` });
    await forEach(rows, (_key, row) => {
      const entry = row as EntryRow;
      if (entry.kind === 'file') used.add(entry.blob);
    });
    return used;
  }

  /** Identifiers of buckets that are gone though entries of them are left. */
  async removedBuckets(): Promise<string[]> {
    const existing = new Set<string>();
    const buckets = this.#rows.iterator({ gte: `bucket${SEPARATOR}`, lt: `bucket${AFTER_SEPARATOR}` });
    await forEach(buckets, (_key, row) => existing.add((row as BucketRow).bucket));
    const removed: string[] = [];
    const entries = this.#rows.iterator({ gte: `entry${SEPARATOR}`, lt: `entry${AFTER_SEPARATOR}` });
    await forEach(entries, (key) => {
      const bucket = key.split(SEPARATOR, 2)[1] ?? '';
      if (!existing.has(bucket)) removed.push(bucket);
      entries.seek(`entry${SEPARATOR}${bucket}${AFTER_SEPARATOR}`);
    });
    return removed;
  }
}

async function forEach(rows: RowIterator, visit: (key: string, row: Row) => void): Promise<void> {
  try {
    for (let row = await rows.next(); row !== undefined; row = await rows.next()) visit(...row);
  } finally {
    await rows.close();
  }
}

/** A walk over entries in key order. Must be closed. */
export class EntryCursor {
  readonly #rows: RowIterator;
  readonly #start: string;
  readonly #prefix: string;

  constructor(rows: RowIterator, start: string, prefix: string) {
    this.#rows = rows;
    this.#start = start;
    this.#prefix = prefix;
  }

  /** The next entry, or undefined after the last below the prefix. */
  async next(): Promise<{ readonly key: string; readonly row: EntryRow } | undefined> {
    const found = await this.#rows.next();
    if (found === undefined) return undefined;
    const key = found[0].slice(this.#start.length);
    return key.startsWith(this.#prefix) ? { key, row: found[1] as EntryRow } : undefined;
  }

  /** Goes on at the first key not before `key`. */
  skipTo(key: string): void {
    this.#rows.seek(this.#start + key);
  }

  async close(): Promise<void> {
    await this.#rows.close();
  }
}
