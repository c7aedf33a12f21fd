/**
 * The mounted bucket as a `FileSystemOperations`: each call is handed to the part that knows how, and whatever goes wrong comes
 * back as an `FsError`, with a line in the log when it was not the program's own doing.
 */
import type { ByteRange } from '../base/byte-range.ts';
import type { ReadInto } from '../base/read-into.ts';
import { Interrupted, type Waiter } from '../base/waiter.ts';
import { isRefusal } from '../service/refusal.ts';
import { MAX_NAME_BYTES, parentOf } from '../store/keys.ts';
import { isOfBucket, reasonOf, toFsError } from './errno-of.ts';
import { FsError } from './errors.ts';
import type { Folders } from './names/folders.ts';
import type { Inspecting } from './names/inspecting.ts';
import type { MountState } from './mount-state.ts';
import { Handle, type OpenFile } from './open-file.ts';
import type { Opening } from './opening.ts';
import type {
  AttributeChange,
  Attributes,
  CreateIntent,
  DirectoryEntry,
  FileHandle,
  FileSystemOperations,
  FileSystemStatistics,
  OpenIntent,
  Owner,
  ShownListing,
  XattrSetMode,
} from './operations.ts';
import { checkPath } from './names/paths.ts';
import type { Reading } from './read/reading.ts';
import type { Removing } from './names/removing.ts';
import type { Renaming } from './rename/renaming.ts';
import type { Shelf } from './shelf/shelf.ts';
import type { Uploading } from './write/uploading.ts';
import type { Usage } from './usage.ts';
import type { Writing } from './write/writing.ts';
import { isServedXattr, unservedXattr } from './attributes/xattr-namespaces.ts';
import type { Xattrs } from './attributes/xattrs.ts';

/** The service has no cap (§8); some programs refuse to write when less than they need is shown. */
export const FREE_BYTES = 2 ** 50;

export interface FileSystemParts {
  readonly mount: MountState;
  readonly inspecting: Inspecting;
  readonly opening: Opening;
  readonly reading: Reading;
  readonly writing: Writing;
  readonly uploading: Uploading;
  readonly shelf: Shelf;
  readonly removing: Removing;
  readonly renaming: Renaming;
  readonly folders: Folders;
  readonly xattrs: Xattrs;
  readonly usage: Usage;
}

export class PailFileSystem implements FileSystemOperations {
  readonly #parts: FileSystemParts;

  constructor(parts: FileSystemParts) {
    this.#parts = parts;
  }

  getAttributes(path: string, handle?: FileHandle, waiter?: Waiter): Promise<Attributes> {
    return this.#posix('getattr', path, () =>
      this.#parts.inspecting.attributes(path, handle && ownHandle(handle), waiter),
    );
  }

  async *readDirectory(
    path: string,
    waiter?: Waiter,
  ): AsyncGenerator<readonly DirectoryEntry[], ShownListing | undefined> {
    try {
      checkPath(path);
      return yield* this.#parts.inspecting.list(path, waiter);
    } catch (error) {
      throw this.#refusal('readdir', path, error);
    }
  }

  open(path: string, intent: OpenIntent, waiter?: Waiter): Promise<FileHandle> {
    return this.#posix('open', path, () => this.#parts.opening.open(path, intent, waiter));
  }

  create(path: string, intent: CreateIntent): Promise<FileHandle> {
    return this.#posix('create', path, () => this.#parts.opening.create(path, intent));
  }

  read(handle: FileHandle, into: ReadInto, position: number, waiter?: Waiter): Promise<number> {
    return this.#posix('read', handle.path, () =>
      this.#parts.reading.read(ownHandle(handle), into, position, waiter),
    );
  }

  write(handle: FileHandle, data: Uint8Array, position: number, free?: () => void): Promise<number> {
    return this.#posix('write', handle.path, () =>
      this.#parts.writing.write(ownHandle(handle), data, position, free),
    );
  }

  allocate(handle: FileHandle, range: ByteRange, keepsSize: boolean): Promise<void> {
    return this.#posix('fallocate', handle.path, () =>
      this.#parts.writing.allocate(ownHandle(handle), range, keepsSize),
    );
  }

  flush(handle: FileHandle, isOpenElsewhere?: () => Promise<boolean>): Promise<void> {
    return this.#posix('flush', handle.path, () =>
      this.#parts.uploading.flush(ownHandle(handle), isOpenElsewhere),
    );
  }

  fsync(handle: FileHandle): Promise<void> {
    return this.#posix('fsync', handle.path, () => this.#parts.uploading.sync(ownHandle(handle).file));
  }

  release(handle: FileHandle): Promise<void> {
    return this.#posix('release', handle.path, () => this.#parts.opening.release(ownHandle(handle)));
  }

  truncate(path: string, size: number, handle?: FileHandle): Promise<void> {
    return this.#posix('truncate', path, async () => {
      if (handle !== undefined) return this.#truncate(ownHandle(handle), size);
      const opened = await this.#parts.opening.open(path, { read: false, write: true, truncate: false });
      try {
        await this.#truncate(opened, size);
        // A driver may empty a file so that is being opened, and who writes to it stores it. No flush of readers does: this call must.
        if (!opened.file.hasWriters(opened)) await this.#parts.uploading.keep(opened.file);
      } finally {
        await this.#parts.opening.release(opened);
      }
    });
  }

  setAttributes(path: string, change: AttributeChange, handle?: FileHandle): Promise<void> {
    return this.#posix('setattr', path, () =>
      this.#parts.inspecting.setAttributes(path, change, handle && ownHandle(handle)),
    );
  }

  unlink(path: string): Promise<void> {
    return this.#posix('unlink', path, () => this.#parts.removing.unlink(path));
  }

  mkdir(path: string, mode: number, maker?: Owner): Promise<void> {
    return this.#posix('mkdir', path, () => this.#parts.folders.make(path, mode, maker));
  }

  rmdir(path: string): Promise<void> {
    return this.#posix('rmdir', path, () => this.#parts.folders.remove(path));
  }

  rename(from: string, to: string, noReplace: boolean): Promise<void> {
    return this.#posix('rename', from, () => {
      checkPath(to);
      return this.#parts.renaming.rename(from, to, noReplace);
    });
  }

  getXattr(path: string, name: string, waiter?: Waiter): Promise<Uint8Array> {
    return this.#posix('getxattr', path, () => {
      if (!isServedXattr(name)) throw new FsError(unservedXattr(name), path, `no such attribute: ${name}`);
      return this.#parts.xattrs.get(path, name, waiter);
    });
  }

  setXattr(path: string, name: string, value: Uint8Array, mode: XattrSetMode): Promise<void> {
    return this.#posix('setxattr', path, () => {
      // EPERM would make `cp -a` fail where ENOTSUP lets it go on.
      if (!isServedXattr(name)) throw new FsError('ENOTSUP', path, `${name} cannot be set`);
      return this.#parts.xattrs.set(path, name, value, mode);
    });
  }

  listXattrs(path: string, waiter?: Waiter): Promise<readonly string[]> {
    return this.#posix('listxattr', path, () => this.#parts.xattrs.list(path, waiter));
  }

  removeXattr(path: string, name: string): Promise<void> {
    return this.#posix('removexattr', path, () => this.#parts.xattrs.remove(path, name));
  }

  link(_path: string, to: string): Promise<never> {
    return this.#posix('link', to, () =>
      Promise.reject(new FsError('EPERM', to, 'only files and folders can be stored')),
    );
  }

  statistics(): FileSystemStatistics {
    const bucket = this.#parts.usage.latest();
    const pending = this.#parts.mount.table.all().filter((file) => file.dirty);
    return {
      usedBytes: bucket.sizeBytes + pending.reduce((sum, file) => sum + file.size, 0),
      freeBytes: FREE_BYTES,
      files: bucket.objectCount + pending.filter((file) => file.version === null).length,
      maxNameLength: MAX_NAME_BYTES,
    };
  }

  async #truncate(handle: Handle, size: number): Promise<void> {
    const isCut = await this.#parts.writing.truncate(handle.file, size);
    // As on a disk, though there is nothing to store.
    if (!isCut)
      await this.#parts.inspecting.setAttributes(
        handle.path,
        { mtime: this.#parts.mount.clock.now() },
        handle,
      );
  }

  async #posix<Result>(operation: string, path: string, run: () => Promise<Result>): Promise<Result> {
    try {
      checkPath(path);
      return await run();
    } catch (error) {
      throw this.#refusal(operation, path, error);
    }
  }

  /** A file that only waits here is no folder of the service: what is looked for below it is not just missing. */
  #belowFile(refusal: FsError): FsError {
    const { code, path } = refusal;
    if (code !== 'ENOENT') return refusal;
    for (let above = parentOf(path); above !== '/'; above = parentOf(above)) {
      if (this.#parts.mount.table.dirty(above) !== undefined)
        return new FsError('ENOTDIR', path, 'a component of the path is a file', { cause: refusal });
    }
    return refusal;
  }

  #refusal(operation: string, path: string, error: unknown): FsError {
    const refusal = this.#belowFile(toFsError(error, path));
    if (isNews(error)) {
      this.#parts.mount.log.warn('an operation failed', {
        operation,
        path,
        errno: refusal.code,
        cause: reasonOf(error),
      });
    }
    return refusal;
  }
}

/** Whether the operator should hear of it. That a name is missing, or taken, or that a program was interrupted, is between the file system and the program. */
function isNews(error: unknown): boolean {
  if (error instanceof Interrupted) return false;
  if (error instanceof FsError)
    return error.code === 'ESTALE' || error.code === 'EIO' || error.code === 'ENOSPC';
  return !isRefusal(error, 'missing') || isOfBucket(error);
}

function ownHandle(handle: FileHandle): Handle {
  if (!(handle instanceof Handle))
    throw new FsError('EBADF', handle.path, 'not a handle of this file system');
  return handle;
}

/** The files whose bytes the service does not have. */
export function unsentFiles(mount: MountState): OpenFile[] {
  return mount.table.all().filter((file) => (file.dirty && file.shelf === null) || file.publishPending);
}
