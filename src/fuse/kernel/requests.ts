/**
 * What does each request carry? One function a structure of linux/fuse.h, its layout in the comment; what nobody here needs is
 * skipped. All read the whole structure at once, so nothing but a write's data refers to the kernel's bytes afterwards.
 */
import type { ByteRange } from '../../base/byte-range.ts';
import type { Owner } from '../../filesystem/operations.ts';
import type { WireReader } from './wire-reader.ts';
import { MalformedRequest } from './wire-reader.ts';
import { milliseconds } from './wire-times.ts';

export const REQUEST_HEADER_BYTES = 40;
/** Bytes of one read or write, at most: a thousand requests for a gigabyte. */
export const MAX_TRANSFER_BYTES = 1024 * 1024;

export interface RequestHeader {
  readonly length: number;
  readonly opcode: number;
  /** Names the request in its reply. */
  readonly unique: bigint;
  readonly node: number;
  /** Whose program asks. */
  readonly user: Owner;
  /** The thread that asks; 0 when it cannot be seen from here. */
  readonly thread: number;
}

/** `fuse_in_header`: u32 len, u32 opcode, u64 unique, u64 nodeid, u32 uid, gid, pid, u16 total_extlen, u16 padding. */
export function readHeader(body: WireReader): RequestHeader {
  const length = body.u32();
  const opcode = body.u32();
  const unique = body.exactU64();
  const node = body.u64();
  const user = { uid: body.u32(), gid: body.u32() };
  const thread = body.u32();
  body.skip(4);
  return { length, opcode, unique, node, user, thread };
}

export interface InitRequest {
  readonly major: number;
  readonly minor: number;
  readonly maxReadahead: number;
  readonly flags: number;
}

/** `fuse_init_in`: u32 major, minor, max_readahead, flags; since 7.36 also u32 flags2 and eleven unused. */
export function readInit(body: WireReader): InitRequest {
  return { major: body.u32(), minor: body.u32(), maxReadahead: body.u32(), flags: body.u32() };
}

export interface Forgotten {
  readonly node: number;
  readonly lookups: number;
}

/** `fuse_batch_forget_in`: u32 count, u32 dummy; then `fuse_forget_one`: u64 nodeid, u64 nlookup. */
export function readBatchForget(body: WireReader): readonly Forgotten[] {
  const count = body.u32();
  body.skip(4);
  if (count * 16 !== body.remaining) throw new MalformedRequest('a list is not as long as it says');
  return Array.from({ length: count }, () => ({ node: body.u64(), lookups: body.u64() }));
}

const GETATTR_FH = 1;

/** `fuse_getattr_in`: u32 getattr_flags, u32 dummy, u64 fh. The handle, when one is meant. */
export function readGetattr(body: WireReader): number | undefined {
  const flags = body.u32();
  body.skip(4);
  const fh = body.u64();
  return (flags & GETATTR_FH) === 0 ? undefined : fh;
}

/** `fuse_setattr_in.valid` */
export const setattrBits = {
  mode: 1 << 0,
  uid: 1 << 1,
  gid: 1 << 2,
  size: 1 << 3,
  atime: 1 << 4,
  mtime: 1 << 5,
  fh: 1 << 6,
  atimeNow: 1 << 7,
  mtimeNow: 1 << 8,
  killSuidgid: 1 << 11,
} as const;

export interface SetattrRequest {
  readonly valid: number;
  readonly fh: number;
  readonly size: number;
  /** Milliseconds since 1970, with fractions. */
  readonly atime: number;
  readonly mtime: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/**
 * `fuse_setattr_in`: u32 valid, padding, u64 fh, size, lock_owner, atime, mtime, ctime, u32 atimensec, mtimensec, ctimensec,
 * mode, unused, uid, gid, unused.
 */
export function readSetattr(body: WireReader): SetattrRequest {
  const valid = body.u32();
  body.skip(4);
  const [fh, size] = [body.u64(), body.u64()];
  body.skip(8);
  const [atimeSeconds, mtimeSeconds] = [body.i64(), body.i64()];
  body.skip(8);
  const [atime, mtime] = [milliseconds(atimeSeconds, body.u32()), milliseconds(mtimeSeconds, body.u32())];
  body.skip(4);
  const mode = body.u32();
  body.skip(4);
  const [uid, gid] = [body.u32(), body.u32()];
  body.skip(4);
  return { valid, fh, size, atime, mtime, mode, uid, gid };
}

export interface MakeRequest {
  readonly mode: number;
  readonly name: string;
}

/** `fuse_mknod_in`: u32 mode, rdev, umask, padding; then the name. */
export function readMknod(body: WireReader): MakeRequest {
  const mode = body.u32();
  body.skip(12);
  return { mode, name: body.name() };
}

/** `fuse_mkdir_in`: u32 mode, umask; then the name. */
export function readMkdir(body: WireReader): MakeRequest {
  const mode = body.u32();
  body.skip(4);
  return { mode, name: body.name() };
}

export interface RenameRequest {
  readonly toFolder: number;
  readonly flags: number;
  readonly from: string;
  readonly to: string;
}

/** `fuse_rename_in`: u64 newdir; then the old name and the new. */
export function readRename(body: WireReader): RenameRequest {
  return { toFolder: body.u64(), flags: 0, from: body.name(), to: body.name() };
}

/** `fuse_rename2_in`: u64 newdir, u32 flags, padding; then the old name and the new. */
export function readRename2(body: WireReader): RenameRequest {
  const toFolder = body.u64();
  const flags = body.u32();
  body.skip(4);
  return { toFolder, flags, from: body.name(), to: body.name() };
}

const OPEN_KILL_SUIDGID = 1;

export interface OpenRequest {
  /** open(2)'s. */
  readonly flags: number;
  readonly killsPrivileges: boolean;
}

/** `fuse_open_in`: u32 flags, u32 open_flags. */
export function readOpen(body: WireReader): OpenRequest {
  return { flags: body.u32(), killsPrivileges: (body.u32() & OPEN_KILL_SUIDGID) !== 0 };
}

/** `fuse_create_in`: u32 flags, mode, umask, open_flags; then the name. The mode has had the umask applied. */
export function readCreate(body: WireReader): OpenRequest & MakeRequest {
  const flags = body.u32();
  const mode = body.u32();
  body.skip(4);
  return { flags, mode, killsPrivileges: (body.u32() & OPEN_KILL_SUIDGID) !== 0, name: body.name() };
}

export interface ReadRequest {
  readonly fh: number;
  readonly offset: number;
  readonly size: number;
}

/** Where in `fuse_read_in` its size ends. */
export const READ_SIZE_END = 20;

/** `fuse_read_in`, also of readdir: u64 fh, u64 offset, u32 size, read_flags, u64 lock_owner, u32 flags, padding. */
export function readRead(body: WireReader): ReadRequest {
  const request = { fh: body.u64(), offset: body.u64(), size: body.u32() };
  body.skip(20);
  return request;
}

const WRITE_KILL_SUIDGID = 4;

export interface WriteRequest {
  readonly fh: number;
  readonly offset: number;
  readonly killsPrivileges: boolean;
  /** Valid only now: to be held or copied before anything is waited for. */
  readonly data: Buffer;
}

/** Where the bytes of a write begin in its request. */
export const WRITE_DATA_START = REQUEST_HEADER_BYTES + 40;

/** `fuse_write_in`: u64 fh, u64 offset, u32 size, write_flags, u64 lock_owner, u32 flags, padding; then the bytes. */
export function readWrite(body: WireReader): WriteRequest {
  const [fh, offset] = [body.u64(), body.u64()];
  const size = body.u32();
  const killsPrivileges = (body.u32() & WRITE_KILL_SUIDGID) !== 0;
  body.skip(16);
  if (size !== body.remaining) throw new MalformedRequest('a write is not as long as it says');
  return { fh, offset, killsPrivileges, data: body.view(size) };
}

/**
 * The handle of `fuse_release_in` (u64 fh, u32 flags, release_flags, u64 lock_owner), `fuse_flush_in` (u64 fh, u32 unused,
 * padding, u64 lock_owner) or `fuse_fsync_in` (u64 fh, u32 fsync_flags, padding).
 */
export function readHandle(body: WireReader): number {
  const fh = body.u64();
  body.skip(8);
  return fh;
}

/** `FALLOC_FL_KEEP_SIZE` of fallocate(2): the file does not grow. */
const FALLOCATE_KEEP_SIZE = 1;

export interface FallocateRequest {
  readonly fh: number;
  readonly range: ByteRange;
  readonly keepsSize: boolean;
  /** Whether more than room is asked for: zeros in place of bytes, or a hole. */
  readonly isOther: boolean;
}

/** `fuse_fallocate_in`: u64 fh, u64 offset, u64 length, u32 mode, padding. */
export function readFallocate(body: WireReader): FallocateRequest {
  const [fh, start, length] = [body.u64(), body.u64(), body.u64()];
  const mode = body.u32();
  body.skip(4);
  const keepsSize = (mode & FALLOCATE_KEEP_SIZE) !== 0;
  const isOther = (mode & ~FALLOCATE_KEEP_SIZE) !== 0;
  return { fh, range: { start, end: start + length }, keepsSize, isOther };
}

/** `fuse_interrupt_in`: u64 unique. */
export function readInterrupt(body: WireReader): bigint {
  return body.exactU64();
}

/** setxattr(2)'s flags. */
export const xattrFlags = { create: 1, replace: 2 } as const;

export interface SetxattrRequest {
  readonly flags: number;
  readonly name: string;
  readonly value: Buffer;
}

/** `fuse_setxattr_in` without the extension of 7.33: u32 size, flags; then the name and the value. */
export function readSetxattr(body: WireReader): SetxattrRequest {
  const size = body.u32();
  const flags = body.u32();
  const name = body.text();
  if (size !== body.remaining) throw new MalformedRequest('a value is not as long as it says');
  return { flags, name, value: body.copy(size) };
}

export interface GetxattrRequest {
  /** Room for the value; 0 asks for its size. */
  readonly size: number;
  readonly name: string;
}

/** `fuse_getxattr_in`: u32 size, padding; then the name. */
export function readGetxattr(body: WireReader): GetxattrRequest {
  const size = readListxattr(body);
  return { size, name: body.text() };
}

/** `fuse_getxattr_in` again: u32 size, padding. */
export function readListxattr(body: WireReader): number {
  const size = body.u32();
  body.skip(4);
  return size;
}
