/** What would the kernel make of a program's calls? It asks `FileSystemOperations` what Linux would ask a file system. */
import { constants } from 'node:fs';
import type { Attributes, FileHandle, FileSystemOperations } from '../../src/filesystem/operations.ts';
import { PosixError, type Posix, type PosixFile, type PosixStat, type PosixStatfs } from './posix.ts';
import { entriesOf } from '../support/directory-entries.ts';

/** Most bytes of one request of the kernel. */
const REQUEST_BYTES = 128 * 1024;
const UMASK = 0o022;
const STATFS_BLOCK = 4096;

export class PosixInProcess implements Posix {
  readonly #fs: FileSystemOperations;
  /** The kernel appends one write at a time to a file. */
  #appending: Promise<unknown> = Promise.resolve();

  constructor(fs: FileSystemOperations) {
    this.#fs = fs;
  }

  async open(path: string, flags: number, mode = 0o666): Promise<PosixFile> {
    const access = flags & (constants.O_WRONLY | constants.O_RDWR);
    const intent = {
      read: access !== constants.O_WRONLY,
      write: access !== constants.O_RDONLY,
      truncate: (flags & constants.O_TRUNC) !== 0,
    };
    const found = await this.#find(path);
    const isAppending = (flags & constants.O_APPEND) !== 0;
    const creates = (flags & constants.O_CREAT) !== 0;
    const exclusive = creates && (flags & constants.O_EXCL) !== 0;
    if (found === null) {
      if (!creates) throw new PosixError('ENOENT', path);
      const handle = await this.#fs.create(path, { ...intent, exclusive, mode: mode & ~UMASK });
      return new DescriptorInProcess(this.#fs, handle, { ...intent, isAppending }, this.#append);
    }
    if (exclusive) throw new PosixError('EEXIST', path);
    if (found.kind === 'folder') {
      if (creates || intent.write || intent.truncate) throw new PosixError('EISDIR', path);
      return new FolderDescriptor(found, path);
    }
    const handle = await this.#fs.open(path, intent);
    return new DescriptorInProcess(this.#fs, handle, { ...intent, isAppending }, this.#append);
  }

  async stat(path: string): Promise<PosixStat> {
    return statOf(await this.#fs.getAttributes(path));
  }

  async readdir(path: string): Promise<string[]> {
    return (await entriesOf(this.#fs, path)).map(({ name }) => name).sort();
  }

  async mkdir(path: string, mode = 0o777): Promise<void> {
    if ((await this.#find(path)) !== null) throw new PosixError('EEXIST', path);
    await this.#fs.mkdir(path, mode & ~UMASK);
  }

  rmdir(path: string): Promise<void> {
    return this.#fs.rmdir(path);
  }

  unlink(path: string): Promise<void> {
    return this.#fs.unlink(path);
  }

  rename(from: string, to: string): Promise<void> {
    return this.#rename(from, to, false);
  }

  renameNoReplace(from: string, to: string): Promise<void> {
    return this.#rename(from, to, true);
  }

  truncate(path: string, size: number): Promise<void> {
    return this.#fs.truncate(path, size);
  }

  chmod(path: string, mode: number): Promise<void> {
    return this.#fs.setAttributes(path, { mode });
  }

  utimes(path: string, atimeMs: number, mtimeMs: number): Promise<void> {
    return this.#fs.setAttributes(path, { atime: atimeMs, mtime: mtimeMs });
  }

  async getxattr(path: string, name: string): Promise<Buffer> {
    return Buffer.from(await this.#fs.getXattr(path, name));
  }

  setxattr(path: string, name: string, value: string): Promise<void> {
    return this.#fs.setXattr(path, name, Buffer.from(value), 'any');
  }

  async listxattr(path: string): Promise<string[]> {
    return [...(await this.#fs.listXattrs(path))];
  }

  removexattr(path: string, name: string): Promise<void> {
    return this.#fs.removeXattr(path, name);
  }

  statfs(): Promise<PosixStatfs> {
    const { usedBytes, freeBytes } = this.#fs.statistics();
    return Promise.resolve({
      blockSize: STATFS_BLOCK,
      blocks: Math.ceil((usedBytes + freeBytes) / STATFS_BLOCK),
      freeBlocks: Math.ceil(freeBytes / STATFS_BLOCK),
    });
  }

  async #rename(from: string, to: string, noReplace: boolean): Promise<void> {
    const source = await this.#fs.getAttributes(from);
    const target = await this.#find(to);
    if (target !== null) {
      if (noReplace) throw new PosixError('EEXIST', to);
      if (source.kind === 'folder' && target.kind === 'file') throw new PosixError('ENOTDIR', to);
      if (source.kind === 'file' && target.kind === 'folder') throw new PosixError('EISDIR', to);
    }
    await this.#fs.rename(from, to, noReplace);
  }

  async #find(path: string): Promise<Attributes | null> {
    try {
      return await this.#fs.getAttributes(path);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
      throw error;
    }
  }

  readonly #append = async (write: () => Promise<number>): Promise<number> => {
    const turn = this.#appending.then(write);
    this.#appending = turn.catch(() => undefined);
    return turn;
  };
}

interface DescriptorRights {
  readonly read: boolean;
  readonly write: boolean;
  readonly isAppending: boolean;
}

class DescriptorInProcess implements PosixFile {
  readonly #fs: FileSystemOperations;
  readonly #handle: FileHandle;
  readonly #rights: DescriptorRights;
  readonly #append: (write: () => Promise<number>) => Promise<number>;
  #position = 0;

  constructor(
    fs: FileSystemOperations,
    handle: FileHandle,
    rights: DescriptorRights,
    append: (write: () => Promise<number>) => Promise<number>,
  ) {
    this.#fs = fs;
    this.#handle = handle;
    this.#rights = rights;
    this.#append = append;
  }

  async read(length: number, position?: number): Promise<Buffer> {
    if (!this.#rights.read) throw new PosixError('EBADF', this.#handle.path);
    const into = Buffer.alloc(length);
    let filled = 0;
    while (filled < length) {
      const piece = into.subarray(filled, filled + REQUEST_BYTES);
      const count = await this.#fs.read(this.#handle, piece, (position ?? this.#position) + filled);
      filled += count;
      if (count < piece.length) break;
    }
    if (position === undefined) this.#position += filled;
    return into.subarray(0, filled);
  }

  async write(data: string | Uint8Array, position?: number): Promise<number> {
    const bytes = Buffer.from(data);
    if (!this.#rights.write) throw new PosixError('EBADF', this.#handle.path);
    if (this.#rights.isAppending) {
      return this.#append(async () => this.#writeAt(bytes, (await this.stat()).size));
    }
    await this.#writeAt(bytes, position ?? this.#position);
    if (position === undefined) this.#position += bytes.length;
    return bytes.length;
  }

  truncate(size: number): Promise<void> {
    if (!this.#rights.write) return Promise.reject(new PosixError('EINVAL', this.#handle.path));
    return this.#fs.truncate(this.#handle.path, size, this.#handle);
  }

  async stat(): Promise<PosixStat> {
    return statOf(await this.#fs.getAttributes(this.#handle.path, this.#handle));
  }

  sync(): Promise<void> {
    return this.#fs.fsync(this.#handle);
  }

  chmod(mode: number): Promise<void> {
    return this.#fs.setAttributes(this.#handle.path, { mode }, this.#handle);
  }

  async close(): Promise<void> {
    try {
      await this.#fs.flush(this.#handle);
    } finally {
      await this.#fs.release(this.#handle);
    }
  }

  async #writeAt(bytes: Buffer, position: number): Promise<number> {
    for (let done = 0; done < bytes.length; done += REQUEST_BYTES) {
      // A copy: the kernel's buffer is another one at the next request.
      const piece = Buffer.from(bytes.subarray(done, done + REQUEST_BYTES));
      await this.#fs.write(this.#handle, piece, position + done);
      piece.fill(0xee);
    }
    return bytes.length;
  }
}

/** What open(2) gives for a folder: only stat works on it. */
class FolderDescriptor implements PosixFile {
  readonly #attributes: Attributes;
  readonly #path: string;

  constructor(attributes: Attributes, path: string) {
    this.#attributes = attributes;
    this.#path = path;
  }

  read(): Promise<Buffer> {
    return Promise.reject(new PosixError('EISDIR', this.#path));
  }

  write(): Promise<number> {
    return Promise.reject(new PosixError('EBADF', this.#path));
  }

  truncate(): Promise<void> {
    return Promise.reject(new PosixError('EINVAL', this.#path));
  }

  stat(): Promise<PosixStat> {
    return Promise.resolve(statOf(this.#attributes));
  }

  sync(): Promise<void> {
    return Promise.resolve();
  }

  chmod(): Promise<void> {
    return Promise.reject(new PosixError('ENOTSUP', this.#path));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function statOf({ kind, size, mode, atime, mtime }: Attributes): PosixStat {
  return { kind, size, mode, atimeMs: atime, mtimeMs: mtime };
}
