/**
 * Where do the bytes of a version go that came whole and are too many for memory? Into a temporary file, from its first byte
 * on, for as long as somebody reads the version, and while there is room on the disk.
 */
import type { ByteRange } from '../base/byte-range.ts';
import { readFully, writeFully, type LocalFile } from './local-files.ts';
import type { SpaceAccount } from './space-account.ts';

/** The local disk failed, or has no room. The bytes can still be fetched from the service. */
export class SpoolFailed extends Error {
  override readonly name = 'SpoolFailed';
}

/** The beginning of a version, on disk until `remove`. */
export class Spool {
  readonly #file: LocalFile;
  readonly #account: SpaceAccount;
  /** Bytes [0, filled) can be read. */
  #filled = 0;

  /** Nobody else uses `file`, which is empty, nor `account`. */
  constructor(file: LocalFile, account: SpaceAccount) {
    this.#file = file;
    this.#account = account;
  }

  get filled(): number {
    return this.#filled;
  }

  /** Takes bytes that follow those it has, or that it has already. Rejects with `SpoolFailed`. */
  async write(data: Uint8Array, position: number): Promise<void> {
    try {
      const needed = position + data.length - this.#account.held;
      if (!this.#account.take(needed)) await this.#account.grow(needed);
      await writeFully(this.#file, data, position);
    } catch (cause) {
      throw new SpoolFailed('cannot write a temporary file', { cause });
    }
    if (position <= this.#filled) this.#filled = Math.max(this.#filled, position + data.length);
  }

  /** Fills `into` with bytes `range`, which are below `filled`. Rejects with `SpoolFailed`. */
  async read(range: ByteRange, into: Uint8Array): Promise<void> {
    let count: number;
    try {
      count = await readFully(this.#file, into, range.start);
    } catch (cause) {
      throw new SpoolFailed('cannot read a temporary file', { cause });
    }
    if (count < into.length) throw new SpoolFailed('a temporary file was cut');
  }

  async remove(): Promise<void> {
    try {
      await this.#file.remove();
    } finally {
      this.#account.close();
    }
  }
}
