/**
 * Are the service's ETags the MD5s of the bytes?
 *
 * The spec says only that they are tags of the content (§2.3). Some services that keep files encrypted tell 32 hexadecimal digits that
 * are no MD5 of anything; so an ETag that only looks like one is no proof before an upload of ours was told with its own.
 */

/** Of an MD5 in lower-case hexadecimal, and of whatever else looks like one. */
export const MD5_PATTERN = /^[0-9a-f]{32}$/;

/** ETags that bytes were seen to be of, and that are remembered. */
const MOST_SEEN = 100;

/** What the uploads of one bucket have shown. */
export class EtagKind {
  #areMd5: boolean | undefined;
  /** MD5s of bytes that were looked at. */
  readonly #seen = new Set<string>();

  /** The service tells `etag` of bytes whose MD5 is `md5`. Some files may be kept encrypted, and others not: one is enough to doubt all. */
  learn(md5: string, etag: string): void {
    if (!MD5_PATTERN.test(etag.toLowerCase())) return;
    this.#areMd5 = md5 === etag.toLowerCase() && this.#areMd5 !== false;
  }

  /** As `learn`, of bytes that were looked at: `etag` is the MD5 of these alone. */
  learnOfBytes(md5: string, etag: string): void {
    this.learn(md5, etag);
    if (md5 !== etag.toLowerCase()) return;
    if (this.#seen.size >= MOST_SEEN) this.#seen.clear();
    this.#seen.add(md5);
  }

  /**
   * Whether `etag`, which is not the MD5 of some bytes, proves that they are not what it is told of. `isLikely`: what it is told of was stored
   * when they were; then what other files have shown is not enough.
   */
  isProof(etag: string, isLikely: boolean): boolean {
    const md5 = etag.toLowerCase();
    return this.#seen.has(md5) || (this.#areMd5 === true && !isLikely && MD5_PATTERN.test(md5));
  }
}
