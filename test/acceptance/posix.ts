/**
 * What is a file system to a program? System calls on paths and descriptors. The acceptance suite is written against these, and
 * runs wherever somebody offers them: in process, and through a kernel.
 *
 * Paths are absolute below the mount. Whatever refuses rejects with an error whose `code` is the errno's name.
 */

export interface PosixStat {
  readonly kind: 'file' | 'folder';
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  readonly atimeMs: number;
  readonly mtimeMs: number;
}

/** One descriptor. */
export interface PosixFile {
  /** read(2) without `position`, else pread(2). */
  read(length: number, position?: number): Promise<Buffer>;
  /** write(2) without `position`, else pwrite(2). */
  write(data: string | Uint8Array, position?: number): Promise<number>;
  truncate(size: number): Promise<void>;
  stat(): Promise<PosixStat>;
  sync(): Promise<void>;
  chmod(mode: number): Promise<void>;
  close(): Promise<void>;
}

export interface PosixStatfs {
  readonly blockSize: number;
  readonly blocks: number;
  readonly freeBlocks: number;
}

export interface Posix {
  /** `flags` of open(2), from `constants` of node:fs; `mode` is 0o666 when absent. */
  open(path: string, flags: number, mode?: number): Promise<PosixFile>;
  stat(path: string): Promise<PosixStat>;
  /** Sorted by code unit. */
  readdir(path: string): Promise<string[]>;
  mkdir(path: string, mode?: number): Promise<void>;
  rmdir(path: string): Promise<void>;
  unlink(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** renameat2(2) with RENAME_NOREPLACE. */
  renameNoReplace(from: string, to: string): Promise<void>;
  truncate(path: string, size: number): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
  /** Milliseconds since 1970. */
  utimes(path: string, atimeMs: number, mtimeMs: number): Promise<void>;
  getxattr(path: string, name: string): Promise<Buffer>;
  setxattr(path: string, name: string, value: string): Promise<void>;
  listxattr(path: string): Promise<string[]>;
  removexattr(path: string, name: string): Promise<void>;
  statfs(path: string): Promise<PosixStatfs>;
}

/** As errors of node:fs look. */
export class PosixError extends Error {
  override readonly name = 'PosixError';
  readonly code: string;

  constructor(code: string, path: string) {
    super(`${code}: ${path}`);
    this.code = code;
  }
}
