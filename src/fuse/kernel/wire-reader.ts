/**
 * How are the kernel's structures read from bytes? One after the other, in the byte order of the machine (little-endian on all
 * that this driver serves), every length checked before it is believed.
 */
import { isUtf8 } from 'node:buffer';
import { FsError } from '../../filesystem/errors.ts';

const LONGEST_NAME_BYTES = 255;
const HALF = 2 ** 32;

/** The bytes are not what linux/fuse.h says. Only a kernel fault, or a test, makes such. */
export class MalformedRequest extends Error {
  override readonly name = 'MalformedRequest';
}

/** Reads from a view that is valid only now: whatever is to stay is copied. */
export class WireReader {
  readonly #bytes: Buffer;

  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** How many bytes are left. */
  get remaining(): number {
    return this.#bytes.length - this.#position;
  }

  u32(): number {
    return this.#bytes.readUInt32LE(this.#advance(4));
  }

  /** Exact up to 2^53; beyond that rounded, which no node, handle or size of ours is. */
  u64(): number {
    const start = this.#advance(8);
    return this.#bytes.readUInt32LE(start) + this.#bytes.readUInt32LE(start + 4) * HALF;
  }

  /** Seconds may be negative. */
  i64(): number {
    const start = this.#advance(8);
    return this.#bytes.readUInt32LE(start) + this.#bytes.readInt32LE(start + 4) * HALF;
  }

  /** All 64 bits, for what is only handed back. */
  exactU64(): bigint {
    return this.#bytes.readBigUInt64LE(this.#advance(8));
  }

  skip(count: number): void {
    this.#advance(count);
  }

  /** The next `count` bytes, valid only as long as the request's. */
  view(count: number): Buffer {
    const start = this.#advance(count);
    return this.#bytes.subarray(start, start + count);
  }

  /** A copy of the next `count` bytes. */
  copy(count: number): Buffer {
    return Buffer.from(this.view(count));
  }

  /** Text up to its NUL. Throws EILSEQ for bytes that are not UTF-8: two of them must not become one name. */
  text(): string {
    const end = this.#bytes.indexOf(0, this.#position);
    if (end === -1) throw new MalformedRequest('a name has no end');
    const bytes = this.#bytes.subarray(this.#position, end);
    this.#position = end + 1;
    if (!isUtf8(bytes)) throw new FsError('EILSEQ', bytes.toString('latin1'), 'a name is not UTF-8');
    return bytes.toString('utf8');
  }

  /** One component of a path. Throws as `text` does, and ENAMETOOLONG. */
  name(): string {
    const start = this.#position;
    const name = this.text();
    if (this.#position - 1 - start > LONGEST_NAME_BYTES)
      throw new FsError('ENAMETOOLONG', name, 'a name has more than 255 bytes');
    if (!isComponent(name)) throw new MalformedRequest('a name is no name');
    return name;
  }

  #advance(count: number): number {
    if (count > this.remaining) throw new MalformedRequest('a request ends too early');
    const start = this.#position;
    this.#position += count;
    return start;
  }
}

/** Whether the kernel could use `name` as one component of a path. */
export function isComponent(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name);
}

/** Whether a listing may show `name`: the kernel refuses the whole listing for one that it cannot use. */
export function isListable(name: string): boolean {
  return isComponent(name) && name.isWellFormed() && Buffer.byteLength(name) <= LONGEST_NAME_BYTES;
}
