/**
 * Where are the bytes of the files on disk?
 *
 * `incoming/` holds what is being received; a finished blob is synced and renamed into `blobs/xx/`. So a blob is whole or
 * absent, whenever the process dies.
 */
import { mkdir, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteRange } from '../base/byte-range.ts';
import { systemErrorCode } from '../base/errors.ts';
import { syncDirectory } from '../base/sync-directory.ts';
import { PIECE_SIZE, type Blobs } from './blobs.ts';

/** Blobs in a directory, for one process at a time. */
export class FileBlobs implements Blobs {
  readonly #incoming: string;
  readonly #blobs: string;

  private constructor(directory: string) {
    this.#incoming = join(directory, 'incoming');
    this.#blobs = join(directory, 'blobs');
  }

  static async open(directory: string): Promise<FileBlobs> {
    const blobs = new FileBlobs(directory);
    await mkdir(blobs.#incoming, { recursive: true, mode: 0o700 });
    await mkdir(blobs.#blobs, { recursive: true, mode: 0o700 });
    return blobs;
  }

  async receive(id: string, source: AsyncIterable<Uint8Array>): Promise<void> {
    const temporary = join(this.#incoming, id);
    try {
      const file = await open(temporary, 'wx', 0o600);
      try {
        for await (const piece of source) await file.writeFile(piece);
        await file.sync();
      } finally {
        await file.close();
      }
      const created = await mkdir(this.#folder(id), { recursive: true, mode: 0o700 });
      if (created !== undefined) await syncDirectory(this.#blobs);
      await rename(temporary, this.#path(id));
      await syncDirectory(this.#folder(id));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async read(id: string, range: ByteRange): Promise<AsyncIterableIterator<Uint8Array> | undefined> {
    try {
      return new FileReading(await open(this.#path(id), 'r'), range);
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async remove(id: string): Promise<void> {
    await rm(this.#path(id), { force: true });
  }

  async sweep(used: ReadonlySet<string>): Promise<void> {
    for (const name of await readdir(this.#incoming)) await rm(join(this.#incoming, name), { force: true });
    for (const folder of await readdir(this.#blobs)) {
      for (const id of await readdir(join(this.#blobs, folder))) if (!used.has(id)) await this.remove(id);
    }
  }

  #folder(id: string): string {
    // Spread over folders: some file systems are slow with 100,000 names in one.
    return join(this.#blobs, id.slice(0, 2));
  }

  #path(id: string): string {
    return join(this.#folder(id), id);
  }
}

/** Reads a range and closes the file at its end, or when told to, also before the first piece was asked for. */
class FileReading implements AsyncIterableIterator<Uint8Array> {
  readonly #file: FileHandle;
  readonly #end: number;
  #position: number;
  #closed = false;

  constructor(file: FileHandle, range: ByteRange) {
    this.#file = file;
    this.#position = range.start;
    this.#end = range.end;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    const wanted = Math.min(PIECE_SIZE, this.#end - this.#position);
    if (wanted <= 0 || this.#closed) return this.return();
    const { bytesRead, buffer } = await this.#file.read(new Uint8Array(wanted), 0, wanted, this.#position);
    this.#position += bytesRead;
    if (bytesRead === 0) throw new Error('a blob is shorter than its row says');
    return { done: false, value: buffer.subarray(0, bytesRead) };
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    if (!this.#closed) {
      this.#closed = true;
      await this.#file.close();
    }
    return { done: true, value: undefined };
  }
}
