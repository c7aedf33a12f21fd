/**
 * How do cached blocks lie on the local disk? A file for 64 neighbouring blocks of one file version, each with a checksum of its
 * own, so that any of them may be missing or damaged without harm to the others.
 *
 * The header is a mark, the hash of what the blocks belong to, the block size, and for each block its checksum and its length in
 * bytes; 0 bytes: not there. A block is written before its place in the header, or together with it: what a crash cut is damaged, not wrong.
 */
import { createHash } from 'node:crypto';

export const BLOCKS_PER_GROUP = 64;
/** Bytes before the first block, which begins where a page does (direct-writes.ts). */
export const HEADER_SIZE = 4096;

/** 2: those of 1 may hold blocks whose first bytes are of another place, with the right checksums. 3: blocks begin elsewhere. */
const MARK = Buffer.from('pailfs blocks 3\n', 'ascii');
const HASH_AT = MARK.length;
const HASH_SIZE = 32;
const BLOCK_SIZE_AT = HASH_AT + HASH_SIZE;
const SLOTS_AT = 64;
const SLOT_SIZE = 8;

/** One block's place in the header. */
export interface Slot {
  /** CRC-32. */
  readonly checksum: number;
  /** Bytes. */
  readonly length: number;
}

/** What blocks belong to: whoever has the same has the same bytes. */
export interface ContentName {
  /** The service, as its base URL. */
  readonly service: string;
  readonly bucket: string;
  readonly key: string;
  readonly etag: string;
  /** Bytes of the file. */
  readonly size: number;
}

/** Lower-case hexadecimal. */
export function hashOf(name: ContentName): string {
  const { service, bucket, key, etag, size } = name;
  return createHash('sha256').update([service, bucket, etag, size, key].join('\0')).digest('hex');
}

/** The header of a group that has no block yet. */
export function emptyHeader(hash: string, blockSize: number): Buffer {
  const header = Buffer.alloc(HEADER_SIZE);
  MARK.copy(header);
  header.write(hash, HASH_AT, 'hex');
  header.writeUInt32LE(blockSize, BLOCK_SIZE_AT);
  return header;
}

/** Undefined when it is no header, or that of another content. */
export function readHeader(header: Buffer, hash: string, blockSize: number): Slot[] | undefined {
  const isOurs =
    header.length === HEADER_SIZE &&
    header.subarray(0, MARK.length).equals(MARK) &&
    header.toString('hex', HASH_AT, HASH_AT + HASH_SIZE) === hash &&
    header.readUInt32LE(BLOCK_SIZE_AT) === blockSize;
  if (!isOurs) return undefined;
  return Array.from({ length: BLOCKS_PER_GROUP }, (_, index) => {
    const at = slotPosition(index);
    const length = header.readUInt32LE(at + 4);
    return { checksum: header.readUInt32LE(at), length: length <= blockSize ? length : 0 };
  });
}

/** Neighbouring slots as they lie in the header from `slotPosition` of the first on. */
export function encodeSlots(slots: readonly Slot[]): Buffer {
  const text = Buffer.alloc(slots.length * SLOT_SIZE);
  slots.forEach(({ checksum, length }, index) => {
    text.writeUInt32LE(checksum, index * SLOT_SIZE);
    text.writeUInt32LE(length, index * SLOT_SIZE + 4);
  });
  return text;
}

export function slotPosition(index: number): number {
  return SLOTS_AT + index * SLOT_SIZE;
}

export function blockPosition(index: number, blockSize: number): number {
  return HEADER_SIZE + index * blockSize;
}
