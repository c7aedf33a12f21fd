/** What does the service tell about its things? The records of §2, in camelCase and with Dates. */

/** §2.1 */
export interface Bucket {
  /** Identifier, assigned by the service; used in every request. */
  readonly bucket: string;
  readonly publicId: string;
  /** The name that people chose. */
  readonly name: string;
  readonly region: string;
  /** `ACTIVE` when ready; other values are not shown in the spec (§3.1). */
  readonly status: string;
  readonly statusMessage: string | null;
  /** Bytes; lags behind uploads. */
  readonly sizeBytes: number;
  /** Files; lags behind uploads. */
  readonly objectCount: number;
  readonly usageSyncedAt: Date;
  readonly createdAt: Date;
}

/** §2.2 */
export interface AccountSummary {
  readonly usedBytes: number;
  /** Null: there is no cap on total storage. */
  readonly limitBytes: number | null;
  readonly bucketCount: number;
  readonly bucketLimit: number;
  readonly maxObjectSizeBytes: number;
  /** Null when a bucket can be created, else why not. */
  readonly createBlockedReason: string | null;
}

/** §4.2 */
export interface BucketPage {
  readonly buckets: readonly Bucket[];
  readonly summary: AccountSummary;
  /** The bookmark of the next page; null on the last. */
  readonly nextPage: string | null;
}

/** §2.3 */
export interface FileEntry {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Without quotes and without `W/`. */
  readonly etag: string;
  readonly lastModified: Date;
}

/** §4.11: one page of one folder. */
export interface ObjectPage {
  readonly bucket: string;
  /** The folder listed, without trailing slash; empty for the top. */
  readonly folder: string;
  /** Full paths ending in `/` (§2.4), as sent: the caller decides which are usable. */
  readonly folders: readonly string[];
  /** Entries with a usable shape. */
  readonly objects: readonly FileEntry[];
  /** How many entries were left out because their shape was not usable (no key, no size, bad date, null). */
  readonly skipped: number;
  /** Of these, the keys of files that have one: nothing else is known of them, but they are there. */
  readonly skippedKeys?: readonly string[];
  /** The bookmark of the next page; null on the last. The only sign of the end (§4.11 rule 6). */
  readonly nextPage: string | null;
}

/** §3.2 */
export type Visibility = 'public' | 'private';

/** §2.5 */
export interface VisibilityRecord {
  readonly key: string;
  readonly visibility: Visibility;
  readonly url: string | null;
  readonly shareUrl: string | null;
  readonly shareExpiresAt: Date | null;
}

/** §2.6 */
export interface LinkRecord {
  readonly bucket: string;
  readonly key: string;
  readonly visibility: Visibility;
  readonly url: string;
  readonly expiresAt: Date | null;
}

/** §4.8, §4.9: what the headers of GET and HEAD tell. */
export interface ObjectHead {
  /** Bytes of the whole file, also when only a part was sent. */
  readonly size: number;
  /** Without quotes and without `W/`. */
  readonly etag: string;
  readonly lastModified: Date;
  /** Null when the service sent none. */
  readonly contentType: string | null;
}

/** A stretch of the service's clock: milliseconds since 1970. In numbers, since one is kept of each of many thousand uploads. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** §4.7. The answer carries neither ETag nor Last-Modified. */
export interface StoredObject {
  readonly bucket: string;
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /**
   * Between which moments of the service's own clock (its Date header) the object was stored, over all tries; null when the
   * service sent no usable Date.
   */
  readonly storedWithin: TimeSpan | null;
  /** Whether an earlier try of the same call has an unknown end: the service may still do it. */
  readonly mayArriveAgain: boolean;
}

/** §4.10 */
export type DeletedObject = Pick<StoredObject, 'mayArriveAgain'>;
