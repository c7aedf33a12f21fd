/**
 * What is directly inside a folder? (§4.11)
 *
 * Files and folders, counted together, in key order unless switched. A sub-folder costs one seek, whatever is below it, so a page
 * in key order costs as many steps as it has entries; a scattered one costs those of the whole level.
 */
import { createHash } from 'node:crypto';
import type { Behaviours } from './behaviours.ts';
import type { Bookmark } from './bookmarks.ts';
import type { EntryCursor, EntryRow, FileRow, FolderRow, Index } from './index-rows.ts';

/** An entry of a level: a file, or the own row of the folder listed. */
export interface ListedFile {
  readonly key: string;
  readonly row: FileRow | FolderRow;
}

/** What stands at one level: a file or the level's own row, or a folder in which `row` is the first. */
interface LevelEntry {
  readonly name: string;
  readonly isFile: boolean;
  readonly row: EntryRow;
}

/** One page of one level. */
export interface Level {
  readonly folders: readonly string[];
  readonly files: readonly ListedFile[];
  /** Where to go on; null after the last entry. */
  readonly next: Bookmark | null;
}

/** Which page of which level. */
export interface LevelQuery {
  readonly bucket: string;
  /** Empty, or ending in `/`. */
  readonly prefix: string;
  readonly limit: number;
  readonly from: Bookmark;
  readonly nasty: boolean;
  readonly order: Behaviours['order'];
  /** Whether a created folder's own row is an entry of its listing. */
  readonly ownEntry: boolean;
}

/** One of the liberties of §4.11 rule 6, chosen by the page's number so that a listing meets them all. */
type PageStyle = 'empty' | 'short' | 'one-kind' | 'full';

const STYLES: readonly PageStyle[] = ['short', 'empty', 'one-kind', 'full', 'empty'];

/** One page, of the moment when it is asked for. */
export async function listLevel(index: Index, query: LevelQuery): Promise<Level> {
  const { last, step } = query.from;
  const style = query.nasty ? (STYLES[(step + query.prefix.length) % STYLES.length] ?? 'full') : 'full';
  if (style === 'empty') return { folders: [], files: [], next: { last, step: step + 1 } };
  const limit = style === 'short' ? Math.ceil(query.limit / 3) : query.limit;
  const found = new LevelPage(query, limit, style === 'one-kind');
  const isInKeyOrder = query.order === 'keys';
  const start = isInKeyOrder ? startAfter(last, query.prefix) : query.prefix;
  const cursor = index.listing(query.bucket, query.prefix, start);
  try {
    const entries = levelEntries(cursor, query.prefix);
    const ended = await fill(found, isInKeyOrder ? entries : await scattered(entries, last));
    // A nasty service looks no further than its page: it says that more may follow, and then gives an empty page.
    const more = !ended || (query.nasty && found.count === limit);
    const next = more ? { last: found.last ?? last, step: step + 1 } : null;
    return { folders: found.folders, files: found.files, next };
  } finally {
    await cursor.close();
  }
}

/** Whether anything exists in the folder, itself left out. `prefix` ends in `/`. */
export async function hasContent(index: Index, bucket: string, prefix: string): Promise<boolean> {
  const cursor = index.entries(bucket, prefix, prefix);
  try {
    const first = await cursor.next();
    if (first?.key !== prefix) return first !== undefined;
    return (await cursor.next()) !== undefined;
  } finally {
    await cursor.close();
  }
}

/** Whether the folder exists: by a row of its own or by what is in it. */
export async function folderExists(index: Index, bucket: string, prefix: string): Promise<boolean> {
  return (await index.entry(bucket, prefix)) !== undefined || (await hasContent(index, bucket, prefix));
}

/** Puts entries into the page until it is full; true when there are no more. */
async function fill(
  page: LevelPage,
  entries: AsyncIterable<LevelEntry> | Iterable<LevelEntry>,
): Promise<boolean> {
  for await (const entry of entries) if (!page.add(entry)) return false;
  return true;
}

/** What is directly inside `prefix`, in key order. */
async function* levelEntries(cursor: EntryCursor, prefix: string): AsyncGenerator<LevelEntry> {
  for (let entry = await cursor.next(); entry !== undefined; entry = await cursor.next()) {
    const slash = entry.key.indexOf('/', prefix.length);
    const isFile = slash === -1;
    const name = isFile ? entry.key : entry.key.slice(0, slash + 1);
    yield { name, isFile, row: entry.row };
    if (!isFile) cursor.skipTo(afterFolder(name));
  }
}

/** The entries after `last` in the order of their names' digests: a name that comes or goes moves no other. */
async function scattered(entries: AsyncIterable<LevelEntry>, last: string): Promise<LevelEntry[]> {
  const digest = (name: string): string => createHash('md5').update(name).digest('hex');
  const begin = last === '' ? '' : digest(last);
  const left: { readonly entry: LevelEntry; readonly place: string }[] = [];
  for await (const entry of entries) {
    const place = digest(entry.name);
    if (place > begin) left.push({ entry, place });
  }
  return left.sort((one, other) => (one.place < other.place ? -1 : 1)).map(({ entry }) => entry);
}

class LevelPage {
  readonly folders: string[] = [];
  readonly files: ListedFile[] = [];
  readonly #query: LevelQuery;
  readonly #limit: number;
  readonly #oneKind: boolean;
  last: string | undefined;

  constructor(query: LevelQuery, limit: number, oneKind: boolean) {
    this.#query = query;
    this.#limit = limit;
    this.#oneKind = oneKind;
  }

  get count(): number {
    return this.folders.length + this.files.length;
  }

  /** False when the page is full without it. */
  add({ name, isFile, row }: LevelEntry): boolean {
    // The folder's own row: an uploaded object of that key is an entry, a created folder is one if so switched.
    const own = name === this.#query.prefix;
    if (isFile && row.kind === 'folder' && !(own && this.#query.ownEntry)) return true;
    if (this.count >= this.#limit) return false;
    if (this.#oneKind && (isFile ? this.folders : this.files).length > 0) return false;
    if (isFile) this.files.push({ key: name, row });
    else this.folders.push(name);
    this.last = name;
    return true;
  }
}

function startAfter(last: string, prefix: string): string {
  if (last === '') return prefix;
  const isFolder = last.endsWith('/') && last !== prefix;
  return isFolder ? afterFolder(last) : `${last}\0`;
}

/** The first text after all keys in `folder/`: `0` is the byte after `/`. */
function afterFolder(folder: string): string {
  return `${folder.slice(0, -1)}0`;
}
