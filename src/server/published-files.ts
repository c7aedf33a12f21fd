/** Which files may be fetched without credentials? (§2.5, §4.13) */
import type { Download } from '../service/object-service.ts';
import type { FileRow } from './index-rows.ts';
import type { StoreParts } from './store-parts.ts';

/** How often a file may be replaced between our looking it up and our opening its bytes. */
const MOST_REPLACEMENTS = 10;

/** What links serve, of every account. Whoever gets a `Download` must read or close its body. */
export class PublishedFiles {
  readonly #parts: StoreParts;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  /** What the permanent link serves; undefined when there is no file or it is not public (any more). */
  async permanent(bucket: string, key: string): Promise<Download | undefined> {
    return this.#download(bucket, key, (row) => row.public || this.#parts.clock.now() < row.publicUntil);
  }

  /** What a temporary link serves; undefined when there is no file. `forbidden` when it is forged or has expired. */
  async temporary(
    bucket: string,
    key: string,
    query: URLSearchParams,
  ): Promise<Download | 'forbidden' | undefined> {
    if (!this.#parts.links.isValid(bucket, key, query, this.#parts.clock.now())) return 'forbidden';
    return this.#download(bucket, key, () => true);
  }

  /** From now on links begin with `host`. */
  serveFrom(host: string): void {
    this.#parts.links.serveFrom(host);
  }

  async #download(
    bucket: string,
    key: string,
    mayServe: (row: FileRow) => boolean,
  ): Promise<Download | undefined> {
    for (let look = 0; look < MOST_REPLACEMENTS; look += 1) {
      const row = await this.#parts.index.entry(bucket, key);
      if (row?.kind !== 'file' || !mayServe(row)) return undefined;
      const range = { start: 0, end: row.size };
      const body = await this.#parts.blobs.read(row.blob, range);
      const { size, etag, contentType } = row;
      const head = { size, etag, contentType, lastModified: new Date(row.modified) };
      if (body !== undefined) return { head, range, body };
    }
    return undefined;
  }
}
