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
const FIRST_ROWS = 16;

/** The same bytes, seen in two ways. */
interface Chunk {
  readonly numbers: Float64Array;
  readonly bytes: Buffer;
}

/** Rows by number, in no order. */
export class FileRows {
  readonly #chunks = new Map<number, Chunk>();
  /** ETags that are no MD5, by row. */
  readonly #otherEtags = new Map<number, string>();
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
    const { numbers, bytes } = this.#chunkFor(row);
    const start = (row % CHUNK_ROWS) * NUMBERS_WITH_ETAG;
    numbers[start] = version.size;
    numbers[start + 1] = version.lastModified.getTime();
    numbers[start + 2] = confirmedAt;
    numbers[start + 3] = version.id;
    const etag = version.etag ?? '';
    if (MD5_PATTERN.test(etag)) {
      bytes.write(etag, (row % CHUNK_ROWS) * ROW_BYTES + ROW_BYTES - MD5_BYTES, 'hex');
      this.#otherEtags.delete(row);
    } else this.#otherEtags.set(row, etag);
  }

  /** One that is written: the same version, in another object each time. */
  read(row: number): FileEntryKnown {
    const end = (row % CHUNK_ROWS) * ROW_BYTES + ROW_BYTES;
    const etag =
      this.#otherEtags.get(row) ?? this.#chunk(row)?.bytes.toString('hex', end - MD5_BYTES, end) ?? '';
    const lastModified = new Date(this.#number(row, 1));
    const version = Version.toldBefore(
      { size: this.#number(row, 0), etag, lastModified },
      this.#number(row, 3),
    );
    return { kind: 'file', version, confirmedAt: this.#number(row, 2) };
  }

  remove(row: number): void {
    this.#otherEtags.delete(row);
    const chunk = this.#chunk(row);
    if (chunk !== undefined) chunk.numbers[(row % CHUNK_ROWS) * NUMBERS_WITH_ETAG + 3] = 0;
  }

  #number(row: number, column: number): number {
    return this.#chunk(row)?.numbers[(row % CHUNK_ROWS) * NUMBERS_WITH_ETAG + column] ?? 0;
  }

  #chunk(row: number): Chunk | undefined {
    return this.#chunks.get(Math.floor(row / CHUNK_ROWS));
  }

  #chunkFor(row: number): Chunk {
    const known = this.#chunk(row);
    const rows = (known?.bytes.length ?? 0) / ROW_BYTES;
    if (known !== undefined && row % CHUNK_ROWS < rows) return known;
    // Most folders are small.
    const most = row < CHUNK_ROWS ? Math.max(FIRST_ROWS, 2 ** Math.ceil(Math.log2(row + 1))) : CHUNK_ROWS;
    const numbers = new Float64Array(most * NUMBERS_WITH_ETAG);
    if (known !== undefined) numbers.set(known.numbers);
    const chunk = { numbers, bytes: Buffer.from(numbers.buffer) };
    this.#chunks.set(Math.floor(row / CHUNK_ROWS), chunk);
    this.#bytes += (most - rows) * ROW_BYTES;
    return chunk;
  }
}
