/**
 * Which requests of ours may the service still do? An upload or a deletion whose answer never came may be done at any later moment,
 * over what was stored or deleted since, and so may a publication. Whoever changes its key next looks afterwards (lasting-change.ts,
 * lasting-visibility.ts).
 */
import { Version, type OwnUpload } from './version.ts';

/** Keys remembered: more than an outage leaves behind. */
const MAX_KEYS = 100_000;

/** Of one key: a program that saves once a minute while the service is away adds one each time. What comes that late is a stranger's. */
const MOST_UPLOADS = 100;

/** Those under the keys of one bucket, since the mount began. */
export class LateRequests {
  readonly #uploads = new Map<string, readonly Version[]>();
  /** Keys. */
  readonly #deletions = new Map<string, true>();
  /** Keys. */
  readonly #publications = new Map<string, true>();

  uploadsOf(key: string): readonly Version[] {
    return this.#uploads.get(key) ?? [];
  }

  /** Whether what is stored under `key` may still be deleted. */
  mayBeDeleted(key: string): boolean {
    return this.#deletions.has(key);
  }

  /** Whether what is stored under `key` may still become public. */
  mayBePublished(key: string): boolean {
    return this.#publications.has(key);
  }

  /** Nobody knows the end of a PUT, or of one try of it. */
  addUpload(key: string, { size, md5, contentType }: Omit<OwnUpload, 'storedWithin'>): void {
    const known = this.uploadsOf(key);
    if (known.some((version) => version.md5 === md5)) return;
    // When it will be stored is not known, and the same bytes may be there under an ETag already: only they can tell.
    const own = { size, md5, storedWithin: null, contentType };
    enter(this.#uploads, key, [...known, Version.uploaded(own, new Date(0))].slice(-MOST_UPLOADS));
  }

  /** Nobody knows the end of a DELETE, or of one try of it. */
  addDeletion(key: string): void {
    enter(this.#deletions, key, true);
  }

  /** Nobody knows whether the file under `key` was made public. */
  addPublication(key: string): void {
    enter(this.#publications, key, true);
  }

  /** Somebody has looked: these have come, or were passed by. */
  forgetUploads(key: string, versions: readonly Version[]): void {
    const left = this.uploadsOf(key).filter((version) => !versions.includes(version));
    if (left.length === 0) this.#uploads.delete(key);
    else this.#uploads.set(key, left);
  }

  /** Somebody has looked: what was stored after it is there. */
  forgetDeletion(key: string): void {
    this.#deletions.delete(key);
  }

  /** Somebody has looked: it is private, after it was made so. */
  forgetPublication(key: string): void {
    this.#publications.delete(key);
  }
}

/** Remembered last: what was so longest ago goes first. A table of `MAX_KEYS` places would take megabytes in each bucket of an account. */
function enter<Value>(known: Map<string, Value>, key: string, value: Value): void {
  known.delete(key);
  known.set(key, value);
  const [oldest] = known.keys();
  if (known.size > MAX_KEYS && oldest !== undefined) known.delete(oldest);
}
