/**
 * Are the service's ETags the MD5s of the bytes?
 *
 * The spec says only that they are tags of the content (§2.3). Some services that keep files encrypted tell 32 hexadecimal digits that
 * are no MD5 of anything; so an ETag that only looks like one is no proof before an upload of ours was told with its own.
 */

/** Of an MD5 in lower-case hexadecimal, and of whatever else looks like one. */
export const MD5_PATTERN = /^[0-9a-f]{32}$/;

/** What the uploads of one bucket have shown. */
export class EtagKind {
  #areMd5: boolean | undefined;

  /** The service tells `etag` of bytes of ours whose MD5 is `md5`. */
  learn(md5: string, etag: string): void {
    this.#areMd5 = md5 === etag.toLowerCase();
  }

  /** Whether `etag`, which is not the MD5 of some bytes, proves that they are not what it is told of. */
  isProof(etag: string): boolean {
    return this.#areMd5 === true && MD5_PATTERN.test(etag.toLowerCase());
  }
}
