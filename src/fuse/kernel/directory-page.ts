/** How is a part of a listing written, as much as the kernel has room for? */
import type { Attributes } from '../../filesystem/operations.ts';
import type { Answer } from './answer.ts';
import type { BufferPool } from './buffer-pool.ts';
import { ENTRY_BYTES, putEntry, putU64, REPLY_HEADER_BYTES, type Told } from './replies.ts';

/** `fuse_dirent` before its name. */
const DIRENT_BYTES = 24;
const ALIGNMENT = 8;
/** For readdir(3): "not known", as in the kernel's own FUSE_UNKNOWN_INO. */
const UNKNOWN_NODE = 0xffffffff;

/** DT_DIR and DT_REG */
const types = { folder: 4, file: 8 } as const;

/** `fuse_dirent`s, or with `isPlus` `fuse_direntplus`es, in an answer of at most `size` bytes. */
export class DirectoryPage {
  readonly isPlus: boolean;
  readonly #buffers: BufferPool;
  readonly #bytes: Buffer;
  /** Programs ask for as much as one answer can hold, and mostly need little of it. */
  readonly #size: number;
  #end = REPLY_HEADER_BYTES;

  constructor(buffers: BufferPool, size: number, isPlus: boolean) {
    this.isPlus = isPlus;
    this.#buffers = buffers;
    this.#size = REPLY_HEADER_BYTES + size;
    this.#bytes = buffers.take(this.#size);
  }

  hasRoomFor(name: string): boolean {
    return this.#end + this.#bytesOf(Buffer.byteLength(name)) <= this.#size;
  }

  /** `.` or `..`, of which the kernel never takes attributes. `next`: the offset behind it. False when there is no room. */
  addDot(name: '.' | '..', next: number, node: number | undefined): boolean {
    if (!this.hasRoomFor(name)) return false;
    this.#clear(name);
    this.#put(name, 'folder', next, node ?? UNKNOWN_NODE);
    return true;
  }

  /** A name and its kind. With `isPlus` the zeros in front say: no attributes. */
  addName(name: string, kind: Attributes['kind'], next: number, node: number | undefined): void {
    this.#clear(name);
    this.#put(name, kind, next, node ?? UNKNOWN_NODE);
  }

  /** All of an entry. Only with `isPlus`. */
  add(name: string, told: Told, next: number, node: number): void {
    const { attributes } = told;
    this.#clear(name);
    putEntry(this.#bytes, this.#end, node, told);
    this.#put(name, attributes.kind, next, node);
  }

  /** What was in the buffer before does not belong into the gaps. */
  #clear(name: string): void {
    this.#bytes.fill(0, this.#end, this.#end + this.#bytesOf(Buffer.byteLength(name)));
  }

  /** Of what was added; nothing can be added any more. */
  answer(): Answer {
    const finished = (): void => {
      this.#buffers.giveBack(this.#bytes);
    };
    return { reply: this.#bytes.subarray(0, this.#end), finished };
  }

  #bytesOf(nameBytes: number): number {
    const unaligned = (this.isPlus ? ENTRY_BYTES : 0) + DIRENT_BYTES + nameBytes;
    return Math.ceil(unaligned / ALIGNMENT) * ALIGNMENT;
  }

  /** `fuse_dirent`: u64 ino, u64 off, u32 namelen, u32 type, the name, zeros up to a multiple of 8. */
  #put(name: string, kind: Attributes['kind'], next: number, node: number): void {
    const start = this.#end + (this.isPlus ? ENTRY_BYTES : 0);
    putU64(this.#bytes, start, node);
    putU64(this.#bytes, start + 8, next);
    const length = this.#bytes.write(name, start + DIRENT_BYTES);
    this.#bytes.writeUInt32LE(length, start + 16);
    this.#bytes.writeUInt32LE(types[kind], start + 20);
    this.#end += this.#bytesOf(length);
  }
}
