/**
 * Where do the bytes of a version go that came whole and are too many for memory? Into a temporary file, from its first byte
 * on, for as long as somebody reads the version.
 */
import type { ByteRange } from '../base/byte-range.ts';
import { readFully, writeFully, type LocalFile, type LocalFiles } from './local-files.ts';

/** The local disk failed. The bytes can still be fetched from the service. */
export class SpoolFailed extends Error {
  override readonly name = 'SpoolFailed';
}

/** The beginning of a version, on disk until `remove`. */
export class Spool {
  readonly #file: LocalFile;
  /** Bytes [0, filled) can be read. */
  #filled = 0;

  private constructor(file: LocalFile) {
    this.#file = file;
  }

  /** An empty spool; `directory` is made when missing, for this user only. Rejects with the disk's error. */
  static async create(files: LocalFiles, directory: string): Promise<Spool> {
    return new Spool(await files.create(directory));
  }

  get filled(): number {
    return this.#filled;
  }

  /** Takes bytes that follow those it has, or that it has already. Rejects with `SpoolFailed`. */
  async write(data: Uint8Array, position: number): Promise<void> {
    try {
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

  remove(): Promise<void> {
    return this.#file.remove();
  }
}
