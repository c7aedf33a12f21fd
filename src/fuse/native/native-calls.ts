/**
 * What does libfuse 2.9 ask, and how is it answered? One entry an operation of the addon, its parameters as the addon passes
 * them (64-bit numbers come as low and high half).
 */

/** The parameters of each operation after the path checks; see the addon's `FUSE_METHOD` of the same name. */
export interface NativeParameters {
  access: [path: string, mode: number];
  statfs: [path: string];
  fgetattr: [path: string, fh: number];
  getattr: [path: string];
  flush: [path: string, fh: number];
  fsync: [path: string, dataOnly: number, fh: number];
  fsyncdir: [path: string, dataOnly: number, fh: number];
  readdir: [path: string];
  truncate: [path: string, sizeLow: number, sizeHigh: number];
  ftruncate: [path: string, fh: number, sizeLow: number, sizeHigh: number];
  /** Milliseconds; the dispatcher has put the true mtime in. */
  utimens: [path: string, atime: number, mtime: number];
  readlink: [path: string];
  chown: [path: string, uid: number, gid: number];
  chmod: [path: string, mode: number];
  mknod: [path: string, mode: number, device: number];
  setxattr: [path: string, name: string, value: Buffer, position: number, flags: number];
  getxattr: [path: string, name: string, into: Buffer, position: number];
  listxattr: [path: string, into: Buffer];
  removexattr: [path: string, name: string];
  open: [path: string, flags: number];
  opendir: [path: string, fh: number, flags: number];
  read: [path: string, fh: number, into: Buffer, length: number, positionLow: number, positionHigh: number];
  write: [path: string, fh: number, data: Buffer, length: number, positionLow: number, positionHigh: number];
  release: [path: string, fh: number];
  releasedir: [path: string, fh: number];
  create: [path: string, mode: number];
  unlink: [path: string];
  /** `thread`: which of libfuse's asks; the dispatcher has put it in. */
  rename: [from: string, to: string, thread: Buffer];
  link: [from: string, to: string];
  symlink: [target: string, path: string];
  mkdir: [path: string, mode: number];
  rmdir: [path: string];
}

export type NativeOperation = keyof NativeParameters;

/** A success: 0 or a count, and what the addon's signal of that operation takes besides. */
export interface NativeAnswer {
  readonly result: number;
  readonly payload?: readonly unknown[];
}

/** Answers each operation; rejects or throws to refuse. */
export type NativeCalls = {
  readonly [Operation in NativeOperation]: (
    ...parameters: NativeParameters[Operation]
  ) => Promise<NativeAnswer> | NativeAnswer;
};

/** Done, nothing to hand back. */
export const DONE: NativeAnswer = { result: 0 };

/** Puts the two halves of a 64-bit number together. */
export function joinHalves(low: number, high: number): number {
  return low + high * 2 ** 32;
}
