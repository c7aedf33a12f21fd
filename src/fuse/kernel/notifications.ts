/**
 * What may the kernel be told unasked? One function a message of linux/fuse.h: a header whose unique is 0, with the message's
 * code in place of an error, then its structure.
 */
import { emptyReply, putU64, REPLY_HEADER_BYTES, sealReply } from './replies.ts';

const NOTIFY_INVAL_INODE = 2;
const NOTIFY_INVAL_ENTRY = 3;
const NOTIFY_INC_EPOCH = 8;

/** `FUSE_EXPIRE_ONLY` (7.38): the name stays where programs are in it; who uses it next has it looked up. */
const EXPIRE_ONLY = 1;

/** All names are to be looked up again (7.44). Waits for no lock. */
export function incrementEpoch(): Buffer {
  return notification(NOTIFY_INC_EPOCH, 0);
}

/**
 * One name is to be looked up again (7.38). `fuse_notify_inval_entry_out`: u64 parent, u32 namelen, flags; then the name with its
 * NUL. Waits while anybody makes, removes or looks up a name in the folder.
 */
export function expireName(folder: number, name: string): Buffer {
  const bytes = Buffer.from(`${name}\0`);
  const message = notification(NOTIFY_INVAL_ENTRY, 16 + bytes.length);
  putU64(message, REPLY_HEADER_BYTES, folder);
  message.writeUInt32LE(bytes.length - 1, REPLY_HEADER_BYTES + 8);
  message.writeUInt32LE(EXPIRE_ONLY, REPLY_HEADER_BYTES + 12);
  message.set(bytes, REPLY_HEADER_BYTES + 16);
  return message;
}

/**
 * A file's attributes, or its bytes too, are to be asked for again. `fuse_notify_inval_inode_out`: u64 ino, i64 off (negative:
 * no bytes), i64 len (0: to the end). With bytes it waits for reads and writes of them.
 */
export function dropCached(node: number, what: 'attributes' | 'bytes'): Buffer {
  const message = notification(NOTIFY_INVAL_INODE, 24);
  putU64(message, REPLY_HEADER_BYTES, node);
  putU64(message, REPLY_HEADER_BYTES + 8, what === 'bytes' ? 0 : -1);
  return message;
}

function notification(code: number, bytes: number): Buffer {
  return sealReply(emptyReply(bytes), 0n, -code);
}
