/** When does a version that comes whole go to a temporary file, and when does that go? */
import type { ByteRange } from '../base/byte-range.ts';
import { describeError } from '../base/errors.ts';
import type { ExpectedVersion } from '../store/range-reader.ts';
import type { ReadContext } from './read-context.ts';
import { Spool } from './spool.ts';
import type { VersionOnDisk } from './version-on-disk.ts';

/** Files that are a larger share of the cache are spooled to disk when they come whole. */
const LARGEST_SHARE_OF_CACHE = 1 / 4;

/** One version's spool. */
export class VersionSpool {
  readonly #context: ReadContext;
  readonly #version: ExpectedVersion;
  readonly #disk: VersionOnDisk;
  #spool: Spool | null = null;
  /** False after the local disk failed: then the blocks are kept that the cache has room for. And after `drop`. */
  #maySpool = true;
  /** While the spool is copied to the disk cache. */
  #saving: Promise<void> | null = null;

  constructor(context: ReadContext, version: ExpectedVersion, disk: VersionOnDisk) {
    this.#context = context;
    this.#version = version;
    this.#disk = disk;
  }

  /** The file from byte 0 to `filled`, if there is one. */
  get spool(): Spool | null {
    return this.#spool;
  }

  /** Whether the file is spooled when it comes whole. */
  get isLarge(): boolean {
    return this.#version.size > this.#context.cache.maxBytes * LARGEST_SHARE_OF_CACHE;
  }

  /** Where a GET of `range` is to write its bytes; null: into memory. Never rejects. */
  async prepare(range: ByteRange): Promise<Spool | null> {
    const { size } = this.#version;
    if (range.start !== 0 || range.end < size || !this.isLarge || !this.#maySpool) return null;
    try {
      return this.#spool ?? (await this.#openSpool());
    } catch (error) {
      this.distrust(error);
      return null;
    }
  }

  /** The file has landed whole: it is copied to the disk cache, if that takes it. */
  save(): void {
    if (this.#spool === null || this.#saving !== null || this.#disk.content === null) return;
    this.#saving = this.#disk.save(this.#spool).finally(() => {
      this.#saving = null;
    });
  }

  /** Nobody reads the version any more. Resolves when its file is gone; never rejects. */
  async drop(): Promise<void> {
    // Also one that is only being made.
    this.#maySpool = false;
    const spool = this.#spool;
    this.#spool = null;
    // What is being copied from it is still wanted.
    if (spool === null) return;
    const removed = this.#saving === null ? spool.remove() : this.#saving.then(() => spool.remove());
    await removed.catch((error: unknown) => {
      this.#context.log.warn('cannot remove a temporary file', { reason: describeError(error) });
    });
  }

  /** The local disk failed: what is spooled counts as gone, and nothing is spooled again for this version. */
  distrust(error: unknown): void {
    this.#context.log.warn('cannot keep a downloaded file on the local disk', {
      reason: describeError(error),
    });
    void this.drop();
  }

  async #openSpool(): Promise<Spool | null> {
    const { files, directory, space } = this.#context;
    const spool = new Spool(await files.create(directory), space.openForCopy());
    if (this.#spool === null && this.#maySpool) this.#spool = spool;
    else await spool.remove();
    return this.#spool;
  }
}
