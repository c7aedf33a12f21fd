/** What may the kernel ask? The operations of the FUSE protocol by number, as in linux/fuse.h. */

/** Those this driver answers itself; every other is ENOSYS, which the kernel takes as "never ask again". */
export const opcodes = {
  lookup: 1,
  forget: 2,
  getattr: 3,
  setattr: 4,
  readlink: 5,
  symlink: 6,
  mknod: 8,
  mkdir: 9,
  unlink: 10,
  rmdir: 11,
  rename: 12,
  link: 13,
  open: 14,
  read: 15,
  write: 16,
  statfs: 17,
  release: 18,
  fsync: 20,
  setxattr: 21,
  getxattr: 22,
  listxattr: 23,
  removexattr: 24,
  flush: 25,
  init: 26,
  opendir: 27,
  readdir: 28,
  releasedir: 29,
  fsyncdir: 30,
  create: 35,
  interrupt: 36,
  destroy: 38,
  batchForget: 42,
  fallocate: 43,
  readdirplus: 44,
  rename2: 45,
} as const;

export type OperationName = keyof typeof opcodes;

const namesByOpcode: ReadonlyMap<number, OperationName> = new Map(
  (Object.keys(opcodes) as OperationName[]).map((name) => [opcodes[name], name]),
);

/** The operation with this number, if this driver answers it. */
export function operationNamed(opcode: number): OperationName | undefined {
  return namesByOpcode.get(opcode);
}
