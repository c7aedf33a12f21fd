/**
 * Which open file does a number or a hidden path mean?
 *
 * libfuse 2.9 names everything by path, so it renames a file deleted while open to `.fuse_hidden…` and goes on asking under
 * that name. The file system below knows no such thing: it keeps the handles alive, so here the hidden path leads to them.
 */
import { FsError } from '../../filesystem/errors.ts';
import type { FileHandle } from '../../filesystem/operations.ts';

/** One open file description and what the driver has to remember of it. */
export interface LibfuseHandle {
  readonly handle: FileHandle;
  /** Made by `create` and not yet flushed: libfuse's mknod releases without a flush. */
  neverFlushed: boolean;
  /** Programs were told of a newer file that somebody else has stored at its name. */
  isReplaced: boolean;
}

/** The addon hands numbers in as int32; 0 means none. */
const LARGEST_NUMBER = 2 ** 31 - 1;
/** libfuse counts a file as open for a moment after its release was answered. */
const RELEASED_MEMORY_MS = 10_000;
const RELEASED_MEMORY_COUNT = 1000;

export class LibfuseHandles {
  readonly #now: () => number;

  readonly #files = new Map<number, LibfuseHandle>();
  readonly #hidden = new Map<string, LibfuseHandle[]>();
  /** Path to when its last release was answered. */
  readonly #released = new Map<string, number>();
  #lastNumber = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Remembers a handle; the number for libfuse. */
  add(handle: FileHandle, neverFlushed: boolean): number {
    do {
      this.#lastNumber = this.#lastNumber >= LARGEST_NUMBER ? 1 : this.#lastNumber + 1;
    } while (this.#files.has(this.#lastNumber));
    this.told(handle.path, handle.identity);
    this.#files.set(this.#lastNumber, { handle, neverFlushed, isReplaced: false });
    return this.#lastNumber;
  }

  /** Throws EBADF for a number that was never given out or is released. */
  get(number: number): LibfuseHandle {
    const file = this.#files.get(number);
    if (file === undefined) throw new FsError('EBADF', `handle ${number}`, 'no such open file');
    return file;
  }

  /**
   * A program is about to hear that `path` leads to the file with this identity. Whoever has an older one open under that name reads no
   * more: for the kernel both are one file, with one size and one set of bytes kept, and it would give those of the one as the other's.
   */
  told(path: string, identity: number): void {
    if (this.#files.size === 0) return;
    // What is stored later has a greater one; an answer that was overtaken says nothing of a newer file.
    for (const file of this.visibleAt(path)) file.isReplaced ||= file.handle.identity < identity;
  }

  /** As `get`, for who wants to know what is in the file. Throws ESTALE when its name was given to a newer one. */
  current(number: number): LibfuseHandle {
    const file = this.get(number);
    if (file.isReplaced)
      throw new FsError('ESTALE', file.handle.path, 'the file was replaced while it was open');
    return file;
  }

  /** Forgets a number whose last descriptor is gone. */
  forget(number: number): void {
    const file = this.#files.get(number);
    if (file === undefined) return;
    this.#files.delete(number);
    this.#rememberRelease(file.handle.path);
  }

  /** Takes all files out that libfuse never released, e.g. when the mount was torn off. */
  takeAll(): readonly LibfuseHandle[] {
    const left = [...this.#files.values()];
    this.#files.clear();
    this.#hidden.clear();
    return left;
  }

  /** Whether libfuse may believe the file at `path` is open, which is when it hides instead of deleting. */
  mayBeOpen(path: string): boolean {
    if (this.visibleAt(path).length > 0) return true;
    const released = this.#released.get(path);
    return released !== undefined && this.#now() - released < RELEASED_MEMORY_MS;
  }

  /** The open files that the name `path` means now: not ones deleted under that name before. */
  visibleAt(path: string): readonly LibfuseHandle[] {
    const hidden = new Set([...this.#hidden.values()].flat());
    return [...this.#files.values()].filter((file) => file.handle.path === path && !hidden.has(file));
  }

  /** From now on `hiddenPath` means these files. */
  hide(hiddenPath: string, files: readonly LibfuseHandle[]): void {
    this.#hidden.set(hiddenPath, [...files]);
  }

  /** libfuse has deleted the hidden name. */
  unhide(hiddenPath: string): void {
    this.#hidden.delete(hiddenPath);
  }

  /** The handle behind a hidden path. Throws ENOENT when there is none. */
  behind(hiddenPath: string): FileHandle {
    const open = new Set(this.#files.values());
    const file = this.#hidden.get(hiddenPath)?.find((candidate) => open.has(candidate));
    if (file === undefined) throw new FsError('ENOENT', hiddenPath, 'no file is open under this name');
    return file.handle;
  }

  /** libfuse renames hidden names along with the folder they are in. */
  moveHidden(from: string, to: string): void {
    for (const [path, files] of [...this.#hidden]) {
      if (!path.startsWith(`${from}/`)) continue;
      this.#hidden.delete(path);
      this.#hidden.set(to + path.slice(from.length), files);
    }
  }

  #rememberRelease(path: string): void {
    this.#released.delete(path);
    this.#released.set(path, this.#now());
    const [oldest] = this.#released.keys();
    if (oldest !== undefined && this.#released.size > RELEASED_MEMORY_COUNT) this.#released.delete(oldest);
  }
}
