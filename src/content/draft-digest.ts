/**
 * What is the MD5 of a file that is still being written? Most files arrive in order, so the hash goes along; bytes that came out
 * of order are read again at the end, and a rewrite of hashed bytes begins the hash anew.
 */
import { createHash, type Hash } from 'node:crypto';

export class DraftDigest {
  #hash: Hash = createHash('md5');
  /** Bytes [0, hashed) are in the hash. */
  #hashed = 0;

  /** Bytes that `digest` need not be given. */
  get hashed(): number {
    return this.#hashed;
  }

  /** `data` now stands at `position`. Call in the order in which the file changes. */
  wrote(data: Uint8Array, position: number): void {
    if (position < this.#hashed) {
      this.#reset();
    }
    if (position === this.#hashed) {
      this.#hash.update(data);
      this.#hashed += data.length;
    }
  }

  truncated(size: number): void {
    if (size < this.#hashed) this.#reset();
  }

  /** The bytes after `hashed`, in order; they are hashed too then. */
  append(data: Uint8Array): void {
    this.#hash.update(data);
    this.#hashed += data.length;
  }

  /** Of all bytes hashed so far, in lower-case hexadecimal. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }

  #reset(): void {
    this.#hash = createHash('md5');
    this.#hashed = 0;
  }
}
