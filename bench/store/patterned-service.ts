/** How does the store serve gigabytes without having them? Some buckets hold files of the pattern, nothing else, and never change. */
import { intersection, byteLength, type ByteRange } from '../../src/base/byte-range.ts';
import type {
  CallOptions,
  Download,
  GetObjectQuery,
  ListObjectsQuery,
  ObjectService,
} from '../../src/service/object-service.ts';
import type { ObjectHead, ObjectPage } from '../../src/service/records.ts';
import { Refusal } from '../../src/service/refusal.ts';
import { InterceptedService } from '../../test/support/intercepted-service.ts';
import { md5 } from '../contents/file-sets.ts';
import { Pattern, type PatternedFile } from '../contents/pattern.ts';

const PIECE_BYTES = 256 * 1024;
const PART_BYTES = 8 * 1024 * 1024;
const MODIFIED = new Date('2026-01-02T03:04:05Z');

/** A service, and in buckets of their own files of the pattern, one level deep and fewer than a page has. */
export class PatternedService extends InterceptedService {
  readonly #pattern = new Pattern();
  readonly #buckets = new Map<string, ReadonlyMap<string, PatternedFile>>();

  constructor(inner: ObjectService) {
    super(inner, (_call, proceed) => proceed());
  }

  /** From now on that is what an empty bucket holds. */
  fill(bucket: string, files: readonly PatternedFile[]): void {
    this.#buckets.set(bucket, new Map(files.map((file) => [file.key, file])));
  }

  override headObject(bucket: string, key: string, options?: CallOptions): Promise<ObjectHead> {
    const files = this.#buckets.get(bucket);
    if (files === undefined) return super.headObject(bucket, key, options);
    const file = files.get(key);
    return file === undefined ? Promise.reject(missing('headObject')) : Promise.resolve(headOf(file));
  }

  override getObject(bucket: string, key: string, query: GetObjectQuery = {}): Promise<Download> {
    const files = this.#buckets.get(bucket);
    if (files === undefined) return super.getObject(bucket, key, query);
    const file = files.get(key);
    if (file === undefined) return Promise.reject(missing('getObject'));
    const whole = { start: 0, end: file.size };
    const range = query.range === undefined ? whole : intersection(whole, query.range);
    if (byteLength(range) === 0 && file.size > 0)
      return Promise.reject(
        new Refusal('range-refused', 'there are no such bytes', { operation: 'getObject', status: 416 }),
      );
    return Promise.resolve({ head: headOf(file), range, body: this.#body(file, range) });
  }

  override listObjects(bucket: string, query: ListObjectsQuery): Promise<ObjectPage> {
    const files = this.#buckets.get(bucket);
    if (files === undefined) return super.listObjects(bucket, query);
    const prefix = query.folder === '' ? '' : `${query.folder}/`;
    const below = [...files.values()].filter(({ key }) => key.startsWith(prefix));
    const rest = ({ key }: PatternedFile): string => key.slice(prefix.length);
    const objects = below.filter((file) => !rest(file).includes('/'));
    const folders = below.map(rest).filter((name) => name.includes('/'));
    return Promise.resolve({
      bucket,
      folder: query.folder,
      folders: [...new Set(folders.map((name) => `${prefix}${name.slice(0, name.indexOf('/') + 1)}`))],
      objects: objects.map((file) => ({ key: file.key, ...headOf(file) })).sort(byKey),
      skipped: 0,
      nextPage: null,
    });
  }

  #body({ number }: PatternedFile, range: ByteRange): AsyncIterable<Uint8Array> {
    const pieces = this.#pattern.pieces(number, range, PIECE_BYTES);
    return { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve(pieces.next()) }) };
  }
}

function missing(operation: 'headObject' | 'getObject'): Refusal {
  return new Refusal('missing', 'the file does not exist', { operation, status: 404 });
}

function headOf({ key, size, number }: PatternedFile): ObjectHead {
  // As S3 names what was uploaded in parts: clients of S3 do not take it for an MD5, which rclone would compare.
  const etag = `${md5(Buffer.from(`${key}\n${number}\n${size}`))}-${Math.ceil(size / PART_BYTES)}`;
  return { size, etag, lastModified: MODIFIED, contentType: null };
}

const byKey = (one: { readonly key: string }, other: { readonly key: string }): number =>
  one.key < other.key ? -1 : 1;
