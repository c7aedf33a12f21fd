/** How are answers written? One function a structure of linux/fuse.h, its layout in the comment, with room for the header in front. */
import type { Attributes, FileSystemStatistics } from '../../filesystem/operations.ts';
import { errnoNumber } from '../errno.ts';
import { FILE_TYPE, FOLDER_TYPE, STAT_BLOCK_BYTES } from '../stat-numbers.ts';
import { secondsAndNanoseconds } from './wire-times.ts';

export const REPLY_HEADER_BYTES = 16;
export const ENTRY_BYTES = 128;
const ATTR_BYTES = 88;
const INIT_BYTES = 64;
const STATFS_BYTES = 80;

/** What a program had better write at once: the most that one request carries, since each costs a trip to this process. */
const WRITE_SIZE_BYTES = 1024 * 1024;
/**
 * What it had better read at once: what is downloaded at least. Python fetches so much for each line that it looks up, and what does not
 * fit into one request of the kernel looks like a program that goes on, for which the next parts are downloaded.
 */
const READ_SIZE_BYTES = 128 * 1024;
const STATFS_BLOCK_BYTES = 4096;
const FREE_FILES = 2 ** 31;
const HALF = 2 ** 32;

/** `bytes` of an answer, zeroed, behind room for the header. */
export function emptyReply(bytes = 0): Buffer {
  return Buffer.alloc(REPLY_HEADER_BYTES + bytes);
}

/**
 * `fuse_out_header`: u32 len, i32 error (0 or a negated errno), u64 unique. Completes `reply`, which so many `more` bytes follow, and
 * returns it.
 */
export function sealReply(reply: Buffer, unique: bigint, error = 0, more = 0): Buffer {
  reply.writeUInt32LE(reply.length + more, 0);
  reply.writeInt32LE(-error, 4);
  reply.writeBigUInt64LE(unique, 8);
  return reply;
}

/** EIO in place of an answer that the kernel would not take. */
export function refusalInstead(reply: Buffer): Buffer {
  return sealReply(emptyReply(), reply.readBigUInt64LE(8), errnoNumber('EIO'));
}

/** What the kernel is told of a name: that it is there for as long as its attributes are valid, or only that it is there now. */
export interface Told {
  readonly attributes: Attributes;
  readonly isNameTrusted: boolean;
}

/**
 * `fuse_entry_out`: u64 nodeid, generation, entry_valid, attr_valid, u32 entry_valid_nsec, attr_valid_nsec, `fuse_attr`.
 * Numbers of nodes are used again only after billions of others, when the kernel has long forgotten them: each has but one generation.
 */
export function putEntry(into: Buffer, start: number, node: number, told: Told): void {
  const { attributes } = told;
  putU64(into, start, node);
  putValidity(into, start + 16, start + 32, told.isNameTrusted ? attributes.validFor : 0);
  putValidity(into, start + 24, start + 36, attributes.validFor);
  putAttributes(into, start + 40, node, attributes);
}

export function entryReply(node: number, told: Told): Buffer {
  const reply = emptyReply(ENTRY_BYTES);
  putEntry(reply, REPLY_HEADER_BYTES, node, told);
  return reply;
}

/** `fuse_entry_out` without a node: nothing is at the name. */
export function missingReply(validFor: number): Buffer {
  const reply = emptyReply(ENTRY_BYTES);
  putValidity(reply, REPLY_HEADER_BYTES + 16, REPLY_HEADER_BYTES + 32, validFor);
  return reply;
}

/** `fuse_attr_out`: u64 attr_valid, u32 attr_valid_nsec, dummy, `fuse_attr`. */
export function attributesReply(node: number, attributes: Attributes): Buffer {
  const reply = emptyReply(16 + ATTR_BYTES);
  putValidity(reply, REPLY_HEADER_BYTES, REPLY_HEADER_BYTES + 8, attributes.validFor);
  putAttributes(reply, REPLY_HEADER_BYTES + 16, node, attributes);
  return reply;
}

/** `fuse_open_out`: u64 fh, u32 open_flags, padding. */
export function openReply(fh: number, flags = 0): Buffer {
  const reply = emptyReply(16);
  putU64(reply, REPLY_HEADER_BYTES, fh);
  reply.writeUInt32LE(flags, REPLY_HEADER_BYTES + 8);
  return reply;
}

/** `fuse_entry_out`, then `fuse_open_out`. */
export function createReply(node: number, told: Told, fh: number, flags: number): Buffer {
  const reply = emptyReply(ENTRY_BYTES + 16);
  putEntry(reply, REPLY_HEADER_BYTES, node, told);
  putU64(reply, REPLY_HEADER_BYTES + ENTRY_BYTES, fh);
  reply.writeUInt32LE(flags, REPLY_HEADER_BYTES + ENTRY_BYTES + 8);
  return reply;
}

/** `fuse_write_out` or `fuse_getxattr_out`: u32 size, padding. */
export function sizeReply(size: number): Buffer {
  const reply = emptyReply(8);
  reply.writeUInt32LE(size, REPLY_HEADER_BYTES);
  return reply;
}

/** `value` and nothing else. */
export function bytesReply(value: Uint8Array): Buffer {
  const reply = emptyReply(value.length);
  reply.set(value, REPLY_HEADER_BYTES);
  return reply;
}

/** `fuse_kstatfs`: u64 blocks, bfree, bavail, files, ffree, u32 bsize, namelen, frsize, padding, six spare. */
export function statfsReply(statistics: FileSystemStatistics): Buffer {
  const reply = emptyReply(STATFS_BYTES);
  const blocks = (bytes: number): number => Math.ceil(bytes / STATFS_BLOCK_BYTES);
  const free = blocks(statistics.freeBytes);
  const counts = [blocks(statistics.usedBytes) + free, free, free, statistics.files + FREE_FILES, FREE_FILES];
  for (const [index, count] of counts.entries()) putU64(reply, REPLY_HEADER_BYTES + index * 8, count);
  reply.writeUInt32LE(STATFS_BLOCK_BYTES, REPLY_HEADER_BYTES + 40);
  reply.writeUInt32LE(statistics.maxNameLength, REPLY_HEADER_BYTES + 44);
  reply.writeUInt32LE(STATFS_BLOCK_BYTES, REPLY_HEADER_BYTES + 48);
  return reply;
}

/** What driver and kernel have agreed on. */
export interface InitAnswer {
  readonly minor: number;
  readonly maxReadahead: number;
  readonly flags: number;
  readonly maxBackground: number;
  readonly congestionThreshold: number;
  readonly maxWrite: number;
  /** Nanoseconds a time of ours is a multiple of. */
  readonly timeGranularity: number;
  readonly maxPages: number;
}

/**
 * `fuse_init_out`: u32 major, minor, max_readahead, flags, u16 max_background, congestion_threshold, u32 max_write, time_gran,
 * u16 max_pages, map_alignment, u32 flags2, seven unused.
 */
export function initReply(major: number, answer: InitAnswer): Buffer {
  const reply = emptyReply(INIT_BYTES);
  const { minor, maxReadahead, flags } = answer;
  for (const [index, value] of [major, minor, maxReadahead, flags].entries()) {
    reply.writeUInt32LE(value, REPLY_HEADER_BYTES + index * 4);
  }
  reply.writeUInt16LE(answer.maxBackground, REPLY_HEADER_BYTES + 16);
  reply.writeUInt16LE(answer.congestionThreshold, REPLY_HEADER_BYTES + 18);
  reply.writeUInt32LE(answer.maxWrite, REPLY_HEADER_BYTES + 20);
  reply.writeUInt32LE(answer.timeGranularity, REPLY_HEADER_BYTES + 24);
  reply.writeUInt16LE(answer.maxPages, REPLY_HEADER_BYTES + 28);
  return reply;
}

/**
 * `fuse_attr`: u64 ino, size, blocks, atime, mtime, ctime, u32 atimensec, mtimensec, ctimensec, mode, nlink, uid, gid, rdev,
 * blksize, flags.
 */
function putAttributes(into: Buffer, start: number, node: number, attributes: Attributes): void {
  putU64(into, start, node);
  putU64(into, start + 8, attributes.size);
  putU64(into, start + 16, Math.ceil(attributes.size / STAT_BLOCK_BYTES));
  const { atime, mtime, ctime } = attributes;
  for (const [index, time] of [atime, mtime, ctime].entries()) {
    const { seconds, nanoseconds } = secondsAndNanoseconds(time);
    putU64(into, start + 24 + index * 8, seconds);
    into.writeUInt32LE(nanoseconds, start + 48 + index * 4);
  }
  const type = attributes.kind === 'folder' ? FOLDER_TYPE : FILE_TYPE;
  into.writeUInt32LE(type | attributes.mode, start + 60);
  // One link also for a folder: programs take "2" as "no subfolders".
  into.writeUInt32LE(attributes.links, start + 64);
  into.writeUInt32LE(attributes.uid, start + 68);
  into.writeUInt32LE(attributes.gid, start + 72);
  // What has no bytes yet can only be written.
  into.writeUInt32LE(attributes.size === 0 ? WRITE_SIZE_BYTES : READ_SIZE_BYTES, start + 80);
}

/** How long the kernel may trust something: u64 seconds and, elsewhere, u32 nanoseconds. */
function putValidity(into: Buffer, secondsAt: number, nanosecondsAt: number, validFor: number): void {
  const { seconds, nanoseconds } = secondsAndNanoseconds(Math.max(0, validFor));
  putU64(into, secondsAt, seconds);
  into.writeUInt32LE(nanoseconds, nanosecondsAt);
}

/** Negative numbers in two's complement. */
export function putU64(into: Buffer, start: number, value: number): void {
  into.writeUInt32LE(value >>> 0, start);
  into.writeInt32LE(Math.floor(value / HALF) | 0, start + 4);
}
