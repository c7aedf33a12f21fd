/**
 * What must something be able to do to connect a `FileSystemOperations` to the kernel? Two drivers are behind this:
 * `kernel` (the kernel's protocol in TypeScript) and `native` (fuse-native).
 */
import type { Log } from '../base/log.ts';
import type { FileSystemOperations } from '../filesystem/operations.ts';

export interface MountOptions {
  /** Absolute path of an existing, empty directory. */
  readonly mountpoint: string;
  /** What mount(8) and df show as the source. */
  readonly source: string;
  readonly readOnly: boolean;
  /** Other users may look in; file modes are then checked by the kernel. */
  readonly allowOther: boolean;
  /** No file may be run as a program; the kernel holds that. */
  readonly noexec?: boolean;
  readonly log: Log;
}

export interface UnmountOptions {
  /** Detach even when files are open; their unsaved bytes are lost to the program. Only when a person asked. */
  readonly lazy: boolean;
  /** Milliseconds that the system's program may take, which waits for a process that does not answer; a minute by default. */
  readonly limit?: number | undefined;
}

export interface Mounted {
  /** Rejects with a `MountError` of kind `busy` when a program still uses the mount. */
  unmount(options: UnmountOptions): Promise<void>;
  /** Has the kernel ask anew for every name; resolves when it knows. Absent where it is never told to trust one. */
  readonly refresh?: () => Promise<void>;
  /** Resolves when the kernel has let go, whoever asked for it, and what it had asked for before is done. */
  readonly closed: Promise<void>;
  /** Resolves when the kernel has let go: what a killed program had begun may go on for long. Absent where that keeps the mount busy. */
  readonly letGo?: Promise<void>;
}

export interface Driver {
  readonly name: 'native' | 'kernel';
  /** Resolves when the mount answers. On a rejection (`MountError`) nothing is left mounted. */
  mount(operations: FileSystemOperations, options: MountOptions): Promise<Mounted>;
}

export type MountErrorKind =
  | 'no-fuse'
  | 'missing-mountpoint'
  | 'not-a-directory'
  | 'not-empty'
  | 'already-mounted'
  | 'permission'
  | 'busy'
  | 'failed';

/** Why a directory could not be mounted or unmounted: one sentence for a person, with the remedy. */
export class MountError extends Error {
  override readonly name = 'MountError';
  readonly kind: MountErrorKind;

  constructor(kind: MountErrorKind, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.kind = kind;
  }
}
