/** What can a program of the property tests do with files? Offered in process and by a mount. Rejections carry a `code`. */
import { constants } from 'node:os';

export interface Access {
  readonly read: boolean;
  readonly write: boolean;
  /** Only together with `write`. */
  readonly truncate: boolean;
  readonly create: 'no' | 'yes' | 'exclusive';
}

export interface ProgramHandle {
  /** Fewer bytes than asked at the end of the file. */
  read(length: number, position: number): Promise<Buffer>;
  write(data: Uint8Array, position: number): Promise<void>;
  truncate(size: number): Promise<void>;
  size(): Promise<number>;
  sync(): Promise<void>;
  /** Closes a duplicate of the descriptor; absent where a program cannot. */
  closeDuplicate?(): Promise<void>;
  close(): Promise<void>;
  /** The descriptor goes without close(2), as when a mapping outlives it; absent where a program cannot. */
  abandon?(): Promise<void>;
}

export interface ProgramFiles {
  open(path: string, access: Access): Promise<ProgramHandle>;
  truncate(path: string, size: number): Promise<void>;
  unlink(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Fails with EEXIST when `to` exists; absent where a program cannot ask for it. */
  renameNoReplace?(from: string, to: string): Promise<void>;
  size(path: string): Promise<number>;
  /** Names of files, with sizes. */
  list(folder: string): Promise<Map<string, number>>;
}

export function codeOf(thrown: unknown): string {
  // libuv has no name for ESTALE.
  if (thrown instanceof Error && 'errno' in thrown && thrown.errno === -constants.errno.ESTALE)
    return 'ESTALE';
  if (thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string') return thrown.code;
  throw thrown;
}
