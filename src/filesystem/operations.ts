/**
 * What can a program ask of a mounted directory? The file system in POSIX terms, free of any FUSE binding; the drivers in
 * fuse/ translate the kernel's calls into these.
 *
 * Paths are absolute, `/`-separated, without trailing slash (but for the root, `/`) and already free of `.` and `..`.
 * Every method, and every step of `readDirectory`, rejects with an `FsError` and with nothing else. Every method may be called
 * while any other is in progress.
 *
 * What changes nothing can be given a `Waiter`: when that one leaves, it rejects with EINTR at once, and requests to the service
 * that nobody else waits for are given up. Changes are never interrupted, since their end must be known.
 */
import type { ByteRange } from '../base/byte-range.ts';
import type { ReadInto } from '../base/read-into.ts';
import type { Waiter } from '../base/waiter.ts';

/** A user and a group, by number. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** What stat(2) tells. Owner and group are the mount's, its maker's, or as set. */
export interface Attributes {
  readonly kind: 'file' | 'folder';
  /** Whether it is the same file still: see `FileHandle.identity`. 0 for a folder, which has no bytes. */
  readonly identity: number;
  /** The identity that it had before its bytes were doubted: the same file, of which nothing that was kept may be used. */
  readonly follows?: number | undefined;
  /** Bytes; 0 for a folder. */
  readonly size: number;
  /** Permission bits only, e.g. 0o644. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** 0 of an open file that was removed or replaced here, else 1: no file has two names. */
  readonly links: 0 | 1;
  /** Milliseconds since 1970, with fractions. */
  readonly mtime: number;
  readonly atime: number;
  readonly ctime: number;
  /** For how many more milliseconds the kernel may trust this; 0 while the size is changing here. */
  readonly validFor: number;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly attributes: Attributes;
}

/** All that one listing showed. */
export interface ShownListing {
  /** For how many more milliseconds another would show the same files under the same names, in the same order; 0 once it may not. */
  stillFor(): number;
  /** A program is shown the same again, by somebody who remembers it. */
  listedAgain(): void;
}

/** What open(2) asked for. */
export interface OpenIntent {
  readonly read: boolean;
  readonly write: boolean;
  /** O_TRUNC */
  readonly truncate: boolean;
}

export interface CreateIntent extends OpenIntent {
  /** O_EXCL: an existing name is EEXIST. Drivers that cannot know pass false. */
  readonly exclusive: boolean;
  /** Permission bits for a new file, umask already applied. */
  readonly mode: number;
  /** Whose program asks; absent where the driver cannot know. */
  readonly maker?: Owner | undefined;
}

/** One open file description. Opaque: only the file system that made it looks inside. */
export interface FileHandle {
  /** Where the file is now; changes with a rename. For log lines. */
  readonly path: string;
  /**
   * Unique in the process. What was read of a file, with what was written to it here since, is its content as long as this is
   * the same: through uploads and renames of ours. A version that somebody else stored at the path has another.
   */
  readonly identity: number;
}

/** Which attributes to set; absent means: leave. Times in milliseconds since 1970, may be negative. */
export interface AttributeChange {
  readonly mode?: number | undefined;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  readonly atime?: number | undefined;
  readonly mtime?: number | undefined;
}

/** setxattr(2)'s flags. */
export type XattrSetMode = 'any' | 'create' | 'replace';

/** statfs(2), in bytes and counts. */
export interface FileSystemStatistics {
  readonly usedBytes: number;
  readonly freeBytes: number;
  readonly files: number;
  /** Longest name, bytes. */
  readonly maxNameLength: number;
}

export interface FileSystemOperations {
  /** With `handle`: of the file behind it, also when its name is gone. */
  getAttributes(path: string, handle?: FileHandle, waiter?: Waiter): Promise<Attributes>;
  /**
   * All entries but `.` and `..`, in no particular order and none twice, in batches as they become known: the first names of
   * a huge folder come long before its last. Attributes are those of the moment at which their batch is taken. A rejection
   * may come after some batches; whoever stops before the end calls `return`, as `for await` does. Returns what was shown, where
   * it can tell for how long that lasts.
   */
  readDirectory(
    path: string,
    waiter?: Waiter,
  ): AsyncIterable<readonly DirectoryEntry[], ShownListing | undefined>;
  /** EISDIR for a folder opened for writing; ENOENT when there is none: creating is `create`. To truncate is a change. */
  open(path: string, intent: OpenIntent, waiter?: Waiter): Promise<FileHandle>;
  /** Opens the file, made new when the name is free. */
  create(path: string, intent: CreateIntent): Promise<FileHandle>;
  /**
   * Fills `into` from byte `position`, or lends it bytes; fewer than asked means end of file. Then, and once it has rejected, `into` is left
   * alone, but for what it was lent.
   */
  read(handle: FileHandle, into: ReadInto, position: number, waiter?: Waiter): Promise<number>;
  /**
   * Accepts all of `data` into the draft; nothing reaches the service before `flush`. `data` may be used again afterwards; with `free`,
   * only once that is called, which may come later: then the local disk's error may come with the next write, flush or fsync.
   */
  write(handle: FileHandle, data: Uint8Array, position: number, free?: () => void): Promise<number>;
  /**
   * Keeps room for bytes that will be written in `range` among those that may wait here; the file grows to hold it unless `keepsSize`. ENOSPC
   * leaves it as it was. What the local disk has free, which is looked at once, others may take until then.
   */
  allocate(handle: FileHandle, range: ByteRange, keepsSize: boolean): Promise<void>;
  /**
   * Once per close(2), so maybe several times: the last chance to tell the program that its bytes were not stored.
   * `isOpenElsewhere` says whether the program has the file open by another descriptor and will close that, too; absent where
   * nobody can tell.
   */
  flush(handle: FileHandle, isOpenElsewhere?: () => Promise<boolean>): Promise<void>;
  fsync(handle: FileHandle): Promise<void>;
  /** No descriptor is left. Nobody hears a rejection: it is only logged. */
  release(handle: FileHandle): Promise<void>;
  truncate(path: string, size: number, handle?: FileHandle): Promise<void>;
  setAttributes(path: string, change: AttributeChange, handle?: FileHandle): Promise<void>;
  unlink(path: string): Promise<void>;
  /** `maker` as in `CreateIntent`. */
  mkdir(path: string, mode: number, maker?: Owner): Promise<void>;
  rmdir(path: string): Promise<void>;
  /** `noReplace`: EEXIST when the target exists. */
  rename(from: string, to: string, noReplace: boolean): Promise<void>;
  getXattr(path: string, name: string, waiter?: Waiter): Promise<Uint8Array>;
  setXattr(path: string, name: string, value: Uint8Array, mode: XattrSetMode): Promise<void>;
  /** Costs no request. */
  listXattrs(path: string, waiter?: Waiter): Promise<readonly string[]>;
  removeXattr(path: string, name: string): Promise<void>;
  /** A second name for a file: no service has that. Rejects with EPERM; with EXDEV where even a rename would. */
  link(path: string, to: string): Promise<never>;
  /** Of the bucket that `path` is in; absent, or above all buckets: of all. Never waits for the network. */
  statistics(path?: string): FileSystemStatistics;
}
