/** How is what a listing told of files written down in few bytes? Columns of numbers; a row's number is its place. */
import { MD5_PATTERN, Version } from '../store/version.ts';
import type { FileEntryKnown } from './entries.ts';

const MD5_BYTES = 16;
/** Size, time, age and number of a row, and its ETag. */
const ROW_BYTES = 4 * Float64Array.BYTES_PER_ELEMENT + MD5_BYTES;
const FIRST_CAPACITY = 16;

export class FileRows {
  /** Rows that are free again. */
  readonly #free: number[] = [];
  /** Those that are no MD5, by row. */
  readonly #otherEtags = new Map<number, string>();
  #sizes = new Float64Array();
  #modified = new Float64Array();
  #confirmed = new Float64Array();
  #numbers = new Float64Array();
  #etags = Buffer.alloc(0);
  #used = 0;

  get size(): number {
    return this.#used - this.#free.length;
  }

  /** Roughly, the memory that it takes. */
  get bytes(): number {
    return this.#sizes.length * ROW_BYTES;
  }

  /** Its row. The version must be plain. */
  add(entry: FileEntryKnown): number {
    const row = this.#free.pop() ?? this.#used;
    if (row === this.#sizes.length) this.#grow();
    this.#used = Math.max(this.#used, row + 1);
    this.write(row, entry);
    return row;
  }

  write(row: number, { version, confirmedAt }: FileEntryKnown): void {
    this.#sizes[row] = version.size;
    this.#modified[row] = version.lastModified.getTime();
    this.#confirmed[row] = confirmedAt;
    this.#numbers[row] = version.id;
    const etag = version.etag ?? '';
    if (MD5_PATTERN.test(etag)) {
      this.#etags.write(etag, row * MD5_BYTES, 'hex');
      this.#otherEtags.delete(row);
    } else this.#otherEtags.set(row, etag);
  }

  /** The same version, in another object each time. */
  read(row: number): FileEntryKnown {
    const start = row * MD5_BYTES;
    const etag = this.#otherEtags.get(row) ?? this.#etags.toString('hex', start, start + MD5_BYTES);
    const lastModified = new Date(this.#modified[row] ?? 0);
    const version = Version.toldBefore(
      { size: this.#sizes[row] ?? 0, etag, lastModified },
      this.#numbers[row] ?? 0,
    );
    return { kind: 'file', version, confirmedAt: this.#confirmed[row] ?? 0 };
  }

  remove(row: number): void {
    this.#otherEtags.delete(row);
    this.#free.push(row);
  }

  #grow(): void {
    const capacity = Math.max(FIRST_CAPACITY, this.#sizes.length * 2);
    const grown = (column: Float64Array): Float64Array<ArrayBuffer> => {
      const larger = new Float64Array(capacity);
      larger.set(column);
      return larger;
    };
    this.#sizes = grown(this.#sizes);
    this.#modified = grown(this.#modified);
    this.#confirmed = grown(this.#confirmed);
    this.#numbers = grown(this.#numbers);
    const etags = Buffer.alloc(capacity * MD5_BYTES);
    this.#etags.copy(etags);
    this.#etags = etags;
  }
}
