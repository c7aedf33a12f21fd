/**
 * What can be asked of the service? One method an endpoint of §4, and nothing that the spec does not offer.
 *
 * Keys and folders are strings of Unicode text and travel byte-exact as UTF-8. Every method rejects with a `Refusal` and with
 * nothing else. Every method may be called while any other is in progress. Retrying passing faults is the implementation's
 * business: a caller who sees `unavailable` need not try again at once.
 */
import type { ByteRange } from '../base/byte-range.ts';
import type {
  Bucket,
  BucketPage,
  DeletedObject,
  LinkRecord,
  ObjectHead,
  ObjectPage,
  StoredObject,
  Visibility,
  VisibilityRecord,
} from './records.ts';

/**
 * How a caller has a call wait between two tries: `pause` is the wait, and the call goes on when what this returns resolves. So the caller can let
 * others have meanwhile what it holds for the call.
 */
export type Pausing = (pause: () => Promise<void>) => Promise<void>;

/** What every call can be given. */
export interface CallOptions {
  /** Abort to give the call up; it then rejects with `aborted`. Whether the service acted is unknown. */
  readonly signal?: AbortSignal | undefined;
  readonly pausing?: Pausing | undefined;
  /**
   * Whether what the call was decided on is so by now, asked before each further try: that may leave a minute after the first. When it is not, or
   * this rejects, the call rejects with what the last try ended with.
   */
  readonly isStillMeant?: (() => Promise<boolean>) | undefined;
}

/** Which page of a listing (§4.2, §4.11). */
export interface PageQuery extends CallOptions {
  /** Most entries in one page; the service's default when absent. */
  readonly limit?: number | undefined;
  /** The `nextPage` of the previous answer; absent for the first page. */
  readonly page?: string | undefined;
}

/** Which page of which folder (§4.11). */
export interface ListObjectsQuery extends PageQuery {
  /** Without leading or trailing slash; empty for the bucket top. */
  readonly folder: string;
}

/** The bytes of an upload. A retry opens them anew. */
export interface UploadBody {
  /** Bytes; exactly what `open` yields (§4.7: Content-Length is required). */
  readonly size: number;
  /** Stored with the file and returned on download; the service's default when absent. */
  readonly contentType?: string | undefined;
  /** A fresh reading from the first byte. Called once a try. */
  open(): AsyncIterable<Uint8Array>;
  /**
   * Nobody looks at the bytes of `piece`, which `open` has yielded, any more: others may come to lie in their place. A piece that is never given
   * back stays as it is.
   */
  giveBack?(piece: Uint8Array): void;
}

/** Which bytes of a file (§4.8). */
export interface GetObjectQuery extends CallOptions {
  /** Ask for these bytes only. The spec does not promise it: look at `Download.range`. */
  readonly range?: ByteRange | undefined;
  /** The caller is done with each piece of the body when it asks for the next: its memory may then be used again. */
  readonly isReadAtOnce?: boolean | undefined;
}

/** A file, or a part of one, on its way (§4.8). */
export interface Download {
  readonly head: ObjectHead;
  /** Which bytes the body holds: the whole file unless Range was honoured. A shorter range than asked for is possible. */
  readonly range: ByteRange;
  /** The answer announced no length: only its end tells whether the body is what `range` says. */
  readonly isUncounted?: boolean | undefined;
  /**
   * Exactly the bytes of `range`; iterating rejects with `unavailable` when it is cut short and with `timeout` when it
   * stalls. Must be read to the end or closed (`return`), or its connection stays in use.
   */
  readonly body: AsyncIterable<Uint8Array>;
}

/** The service as one credential sees it. */
export interface ObjectService {
  /** §4.2 */
  listBuckets(query?: PageQuery): Promise<BucketPage>;
  /** §4.3. Never repeated by itself: a second POST after a lost answer would refuse or create twice. */
  createBucket(name: string, options?: CallOptions): Promise<Bucket>;
  /** §4.4 */
  getBucket(bucket: string, options?: CallOptions): Promise<Bucket>;
  /** §4.5. Deletes every file in it. */
  deleteBucket(bucket: string, options?: CallOptions): Promise<void>;
  /** §4.6. `folderPath` without leading or trailing slash. */
  createFolder(bucket: string, folderPath: string, options?: CallOptions): Promise<void>;
  /** §4.7. Replaces; the new file is private. */
  putObject(bucket: string, key: string, body: UploadBody, options?: CallOptions): Promise<StoredObject>;
  /** §4.8 */
  getObject(bucket: string, key: string, query?: GetObjectQuery): Promise<Download>;
  /** §4.9 */
  headObject(bucket: string, key: string, options?: CallOptions): Promise<ObjectHead>;
  /** §4.10. Also succeeds when the file is already gone. */
  deleteObject(bucket: string, key: string, options?: CallOptions): Promise<DeletedObject>;
  /** §4.11. One page of one level. */
  listObjects(bucket: string, query: ListObjectsQuery): Promise<ObjectPage>;
  /** §4.12 */
  getVisibility(bucket: string, key: string, options?: CallOptions): Promise<VisibilityRecord>;
  /** §4.13 */
  setVisibility(
    bucket: string,
    key: string,
    visibility: Visibility,
    options?: CallOptions,
  ): Promise<VisibilityRecord>;
  /** §4.14 */
  getLink(bucket: string, key: string, options?: CallOptions): Promise<LinkRecord>;
}
