/**
 * What is the MD5 of a draft? Its bytes are hashed while they leave for the service, when the processor waits for the line, and
 * not while they arrive, when a program waits for its write; but for small contents (draft.ts).
 */
import { createHash, type Hash } from 'node:crypto';
import { readFully, type LocalFile } from './local-files.ts';

/** Bytes that are read at once. */
const CHUNK = 512 * 1024;

export class DraftDigest {
  /** Null before the first byte. */
  #hash: Hash | null = null;
  /** Bytes [0, hashed) are in the hash. */
  #hashed = 0;

  /** Bytes that need not pass again. */
  get hashed(): number {
    return this.#hashed;
  }

  /** The file has changed: what was hashed counts no more. */
  reset(): void {
    this.#hash = null;
    this.#hashed = 0;
  }

  /** `data` stands at `position` of the file. What was hashed before, or comes after a gap, is passed over. */
  pass(data: Uint8Array, position: number): void {
    if (position !== this.#hashed) return;
    this.#hash ??= createHash('md5');
    this.#hash.update(data);
    this.#hashed += data.length;
  }

  /** Reads from `file`, which holds `size` bytes, what has not passed yet. Rejects with the disk's error. */
  async passRest(file: Pick<LocalFile, 'read'>, size: number): Promise<void> {
    const buffer = new Uint8Array(Math.min(CHUNK, size - this.#hashed));
    while (this.#hashed < size) {
      const from = this.#hashed;
      const rest = buffer.subarray(0, Math.min(CHUNK, size - from));
      const count = await readFully(file, rest, from);
      if (count === 0) throw new Error('the draft is shorter than what was written to it');
      this.pass(rest.subarray(0, count), from);
    }
  }

  /** Of all bytes hashed so far, in lower-case hexadecimal. */
  digest(): string {
    return (this.#hash ?? createHash('md5')).copy().digest('hex');
  }
}
