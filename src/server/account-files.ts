/** What can be read of files and folders? (§4.8, §4.9, §4.11) */
import { createHash } from 'node:crypto';
import { byteLength, intersection, type ByteRange } from '../base/byte-range.ts';
import type { Download, GetObjectQuery, ListObjectsQuery } from '../service/object-service.ts';
import { LIST_OBJECTS_DEFAULT_LIMIT, LIST_OBJECTS_MAX_LIMIT } from '../service/limits.ts';
import type { FileEntry, ObjectHead, ObjectPage } from '../service/records.ts';
import type { FileRow } from './index-rows.ts';
import { folderExists, listLevel, type ListedFile } from './listing.ts';
import { pageLimit } from './page-limit.ts';
import { ownedBucket, refuse, type StoreParts, type Subject } from './store-parts.ts';

const FOLDER_CONTENT_TYPE = 'application/x-directory';
/** How often a file may be replaced between our looking it up and our opening its bytes. */
const MOST_REPLACEMENTS = 10;

/** Reads of one account's files. Every method rejects with a `Refusal`, or with a fault of the disk. */
export class AccountFiles {
  readonly #parts: StoreParts;
  readonly #account: string;

  constructor(parts: StoreParts, account: string) {
    this.#parts = parts;
    this.#account = account;
  }

  async head(bucket: string, key: string): Promise<ObjectHead> {
    const subject: Subject = { operation: 'headObject', bucket, key };
    await ownedBucket(this.#parts, this.#account, subject);
    const found = await this.#find(subject);
    return 'kind' in found ? headOf(found) : found;
  }

  async get(bucket: string, key: string, query: GetObjectQuery): Promise<Download> {
    const subject: Subject = { operation: 'getObject', bucket, key };
    await ownedBucket(this.#parts, this.#account, subject);
    for (let look = 0; look < MOST_REPLACEMENTS; look += 1) {
      const found = await this.#find(subject);
      const range = this.#range(subject, found.size, query.range);
      if (!('kind' in found)) return { head: found, range, body: emptyBody() };
      const body = await this.#parts.blobs.read(found.blob, range);
      if (body !== undefined) return { head: headOf(found), range, body };
    }
    throw refuse(subject, 'unavailable', 'the file is being replaced all the time', 503);
  }

  async list(bucket: string, query: ListObjectsQuery): Promise<ObjectPage> {
    const { index, behaviours, bookmarks } = this.#parts;
    const folder = query.folder.endsWith('/') ? query.folder.slice(0, -1) : query.folder;
    const subject: Subject = { operation: 'listObjects', bucket, key: folder };
    await ownedBucket(this.#parts, this.#account, subject);
    const bounds = { usual: LIST_OBJECTS_DEFAULT_LIMIT, most: LIST_OBJECTS_MAX_LIMIT };
    const limit = pageLimit('listObjects', query.limit, behaviours, bounds);
    const listing = ['files', bucket, folder];
    const from = query.page === undefined ? { last: '', step: 0 } : bookmarks.open(listing, query.page);
    if (from === undefined)
      throw refuse(subject, 'stale-bookmark', 'the page was not issued for this listing', 400);
    const prefix = folder === '' ? '' : `${folder}/`;
    const mayBeMissing = behaviours.missingFolder === 'missing' && prefix !== '' && query.page === undefined;
    if (mayBeMissing && !(await folderExists(index, bucket, prefix)))
      throw refuse(subject, 'missing', 'the folder does not exist', 404);
    const level = await listLevel(index, {
      bucket,
      prefix,
      limit,
      from,
      nasty: behaviours.pages === 'nasty',
      order: behaviours.order,
      ownEntry: behaviours.folderEntries === 'listed',
    });
    return {
      bucket,
      folder,
      folders: level.folders,
      objects: level.files.map(fileEntry),
      skipped: 0,
      nextPage: level.next === null ? null : bookmarks.issue(listing, level.next),
    };
  }

  /** The file; or what is told of a folder in its place. */
  async #find(subject: Subject): Promise<FileRow | ObjectHead> {
    const { bucket, key = '' } = subject;
    const { index, behaviours } = this.#parts;
    const row = await index.entry(bucket, key);
    if (row?.kind === 'file') return row;
    const asked = key.endsWith('/') && behaviours.headFolder === 'found';
    if (!asked || !(await folderExists(index, bucket, key)))
      throw refuse(subject, 'missing', 'the file does not exist', 404);
    return {
      size: 0,
      etag: EMPTY_ETAG,
      // A folder that nobody created has no time of its own.
      lastModified: new Date(row?.modified ?? 0),
      contentType: FOLDER_CONTENT_TYPE,
    };
  }

  #range(subject: Subject, size: number, asked: ByteRange | undefined): ByteRange {
    const whole = { start: 0, end: size };
    const { range: behaviour } = this.#parts.behaviours;
    if (asked === undefined || behaviour === 'ignored') return whole;
    const range = intersection(whole, asked);
    if (behaviour === 'refused' || asked.start >= size || byteLength(range) === 0)
      throw refuse(subject, 'range-refused', 'the range cannot be satisfied', 416);
    if (behaviour === 'honoured') return range;
    const bytes = behaviour === 'short' ? Math.ceil(byteLength(range) / 2) : 1;
    return { start: range.start, end: range.start + bytes };
  }
}

const EMPTY_ETAG = createHash('md5').digest('hex');

function headOf(row: FileRow): ObjectHead {
  const { size, etag, contentType } = row;
  return { size, etag, lastModified: new Date(row.modified), contentType };
}

function fileEntry({ key, row }: ListedFile): FileEntry {
  const lastModified = new Date(row.modified);
  if (row.kind === 'folder') return { key, size: 0, etag: EMPTY_ETAG, lastModified };
  return { key, size: row.size, etag: row.etag, lastModified };
}

function emptyBody(): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }),
  };
}
