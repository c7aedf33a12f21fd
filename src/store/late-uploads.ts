/**
 * Which uploads of ours may the service still do? One whose answer never came may be done at any later moment, over what was
 * stored or deleted since. So whoever changes its key next looks afterwards (lasting-change.ts).
 */
import { LRUCache } from 'lru-cache';
import { Version, type OwnUpload } from './version.ts';

/** Keys remembered: more than an outage leaves behind. */
const MAX_KEYS = 100_000;

/** Those under the keys of one bucket, since the mount began. */
export class LateUploads {
  readonly #byKey = new LRUCache<string, readonly Version[]>({ max: MAX_KEYS });

  of(key: string): readonly Version[] {
    return this.#byKey.get(key) ?? [];
  }

  /** Nobody knows the end of a PUT, or of one try of it. */
  add(key: string, { size, md5, contentType }: Omit<OwnUpload, 'storedWithin'>): void {
    const known = this.of(key);
    if (known.some((version) => version.md5 === md5)) return;
    // When it will be stored is not known, and the same bytes may be there under an ETag already: only they can tell.
    const own = { size, md5, storedWithin: null, contentType };
    this.#byKey.set(key, [...known, Version.uploaded(own, new Date(0))]);
  }

  /** Somebody has looked: these have come, or were passed by. */
  forget(key: string, versions: readonly Version[]): void {
    const left = this.of(key).filter((version) => !versions.includes(version));
    if (left.length === 0) this.#byKey.delete(key);
    else this.#byKey.set(key, left);
  }
}
