/**
 * What does the disk cache have of one file version, and how does a file get there that came whole?
 *
 * Which content of the cache it is has to be looked up each time: a rename changes the key, and an upload of ours has no ETag at first.
 */
import type { ByteRange } from '../base/byte-range.ts';
import type { ExpectedVersion } from '../store/range-reader.ts';
import type { CachedContent } from './disk-cache/cached-content.ts';
import type { ReadContext } from './read-context.ts';
import { SpoolFailed, type Spool } from './spool.ts';

/** The file that is meant; both may change. */
interface StoredFile {
  readonly key: string;
  readonly version: ExpectedVersion & { readonly etag: string | null };
}

/** One version's part of the disk cache. */
export class VersionOnDisk {
  readonly #context: ReadContext;
  readonly #file: StoredFile;
  /** Under the name that the version had at the last look. */
  #last: { readonly key: string; readonly etag: string; readonly content: CachedContent } | null = null;

  constructor(context: ReadContext, file: StoredFile) {
    this.#context = context;
    this.#file = file;
  }

  /** As far as anybody has looked; null: nothing, and it takes nothing. */
  get content(): CachedContent | null {
    const { onDisk } = this.#context;
    const { key, version } = this.#file;
    const { etag, size } = version;
    if (onDisk === undefined || etag === null || etag === '') return null;
    if (this.#last?.key !== key || this.#last.etag !== etag) {
      this.#last = { key, etag, content: onDisk({ key, etag, size }) };
    }
    return this.#last.content;
  }

  /** Call before anything is decided on `range`. Undefined: nothing is to be waited for. */
  look(range: ByteRange): Promise<void> | undefined {
    const { content } = this;
    if (content === null) return undefined;
    const { blockSize } = this.#context.cache;
    const first = Math.floor(range.start / blockSize);
    const last = Math.max(first, Math.ceil(Math.min(range.end, this.#file.version.size) / blockSize) - 1);
    return content.isKnown(first, last) ? undefined : content.look(first, last);
  }

  /**
   * Copies a file that has landed in `spool` to the disk cache, as fast as that takes it, when it is small enough for it. Never rejects:
   * what cannot be read any more is not kept.
   */
  async save(spool: Spool): Promise<void> {
    const { content } = this;
    const { size } = this.#file.version;
    const { blockSize } = this.#context.cache;
    if (content?.takesWhole(size) !== true) return;
    try {
      for (let start = 0; start < size; start += blockSize) {
        const end = Math.min(start + blockSize, size);
        const block = new Uint8Array(end - start);
        await spool.read({ start, end }, block);
        if (!(await content.keepInTime(start / blockSize, block))) return;
      }
    } catch (error) {
      if (!(error instanceof SpoolFailed)) throw error;
    }
  }
}
