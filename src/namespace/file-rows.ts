/** How is what a listing told of files written down in few bytes? In rows of numbers, outside the heap. */
import { MD5_PATTERN } from '../store/etag-kind.ts';
import { Version } from '../store/version.ts';
import type { FileEntryKnown } from './entries.ts';

const MD5_BYTES = 16;
/** Of a row: size, time, age and number, and then its ETag. */
const NUMBERS = 4;
const NUMBERS_WITH_ETAG = NUMBERS + MD5_BYTES / Float64Array.BYTES_PER_ELEMENT;
const ROW_BYTES = NUMBERS_WITH_ETAG * Float64Array.BYTES_PER_ELEMENT;
const CHUNK_ROWS = 1024;
const FIRST_ROWS = 4;

/** Rows by number, in no order. */
export class FileRows {
  /** Most folders have no more: a map for each would take as much as the rows of a small one. */
  #first: Float64Array<ArrayBuffer> | null = null;
  /** All others, by number. */
  #more: Map<number, Float64Array<ArrayBuffer>> | null = null;
  /** ETags that are no MD5, by row. */
  #otherEtags: Map<number, string> | null = null;
  #bytes = 0;

  /** Roughly, the memory that it takes. */
  get bytes(): number {
    return this.#bytes;
  }

  has(row: number): boolean {
    return this.#number(row, 3) > 0;
  }

  /** The version must be plain. */
  write(row: number, { version, confirmedAt }: FileEntryKnown): void {
    const numbers = this.#chunkFor(row);
    const start = (row % CHUNK_ROWS) * NUMBERS_WITH_ETAG;
    numbers[start] = version.size;
    numbers[start + 1] = version.lastModified.getTime();
    numbers[start + 2] = confirmedAt;
    numbers[start + 3] = version.id;
    const etag = version.etag ?? '';
    if (MD5_PATTERN.test(etag)) {
      md5In(numbers, row).write(etag, 'hex');
      this.#otherEtags?.delete(row);
    } else (this.#otherEtags ??= new Map<number, string>()).set(row, etag);
  }

  /** One that is written: the same version, in another object each time. */
  read(row: number): FileEntryKnown {
    const numbers = this.#chunk(row);
    const etag = this.#otherEtags?.get(row) ?? (numbers && md5In(numbers, row).toString('hex')) ?? '';
    const lastModified = new Date(this.#number(row, 1));
    const version = Version.toldBefore(
      { size: this.#number(row, 0), etag, lastModified },
      this.#number(row, 3),
    );
    return { kind: 'file', version, confirmedAt: this.#number(row, 2) };
  }

  remove(row: number): void {
    this.#otherEtags?.delete(row);
    const chunk = this.#chunk(row);
    if (chunk !== undefined) chunk[(row % CHUNK_ROWS) * NUMBERS_WITH_ETAG + 3] = 0;
  }

  #number(row: number, column: number): number {
    return this.#chunk(row)?.[(row % CHUNK_ROWS) * NUMBERS_WITH_ETAG + column] ?? 0;
  }

  #chunk(row: number): Float64Array<ArrayBuffer> | undefined {
    return (row < CHUNK_ROWS ? this.#first : this.#more?.get(Math.floor(row / CHUNK_ROWS))) ?? undefined;
  }

  #chunkFor(row: number): Float64Array<ArrayBuffer> {
    const known = this.#chunk(row);
    const rows = (known?.byteLength ?? 0) / ROW_BYTES;
    if (known !== undefined && row % CHUNK_ROWS < rows) return known;
    // Most folders are small.
    const most = row < CHUNK_ROWS ? Math.max(FIRST_ROWS, 2 ** Math.ceil(Math.log2(row + 1))) : CHUNK_ROWS;
    const chunk = new Float64Array(most * NUMBERS_WITH_ETAG);
    if (known !== undefined) chunk.set(known);
    if (row < CHUNK_ROWS) this.#first = chunk;
    else
      (this.#more ??= new Map<number, Float64Array<ArrayBuffer>>()).set(Math.floor(row / CHUNK_ROWS), chunk);
    this.#bytes += (most - rows) * ROW_BYTES;
    return chunk;
  }
}

/** Where the ETag of `row` is, seen as bytes. To keep that view of each chunk would take as much as the rows of a small folder. */
function md5In(chunk: Float64Array<ArrayBuffer>, row: number): Buffer {
  const end = chunk.byteOffset + ((row % CHUNK_ROWS) + 1) * ROW_BYTES;
  return Buffer.from(chunk.buffer, end - MD5_BYTES, MD5_BYTES);
}
