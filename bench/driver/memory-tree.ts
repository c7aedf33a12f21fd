/**
 * The file system that every driver of the bench serves: a few files and large folders, answered at once from memory, so that what is
 * measured is the driver. Imported by the process that mounts.
 */
import type { ReadInto } from '../../src/base/read-into.ts';
import { FsError } from '../../src/filesystem/errors.ts';
import type {
  Attributes,
  DirectoryEntry,
  FileHandle,
  FileSystemOperations,
  FileSystemStatistics,
} from '../../src/filesystem/operations.ts';
import { BIG_BYTES, FOLDER_SIZES, folderOf, nameOf, SMALL_BYTES, SMALL_FILES } from './tree.ts';

export interface MemoryTreeOptions {
  /** Of everything, in milliseconds. */
  readonly validFor: number;
}

/** What is read comes from here, and what is written goes here. */
const BLOCK_BYTES = 1024 * 1024;

/** How the bench's child opens it. */
export function openFileSystem(options: MemoryTreeOptions): Promise<FileSystemOperations> {
  return Promise.resolve(new MemoryTree(options.validFor));
}

class MemoryTree implements FileSystemOperations {
  readonly #validFor: number;
  readonly #attributes = new Map<string, Attributes>();
  readonly #entries = new Map<string, readonly DirectoryEntry[]>();
  readonly #source = Buffer.alloc(BLOCK_BYTES, 'pailfs');
  readonly #sink = Buffer.alloc(BLOCK_BYTES);
  #lastIdentity = 0;

  constructor(validFor: number) {
    this.#validFor = validFor;
    const small = Array.from({ length: SMALL_FILES }, (_, index) => String(index));
    this.#addFolder('/small', small, SMALL_BYTES);
    for (const size of FOLDER_SIZES) {
      const names = Array.from({ length: size }, (_, index) => nameOf(index));
      this.#addFolder(`/${folderOf(size)}`, names, 0);
    }
    this.#attributes.set('/big', this.#newAttributes('file', BIG_BYTES));
    this.#attributes.set('/sink', this.#newAttributes('file', 0));
    const top = [...this.#attributes].filter(([path]) => path.lastIndexOf('/') === 0);
    this.#entries.set(
      '/',
      top.map(([path, attributes]) => ({ name: path.slice(1), attributes })),
    );
    this.#attributes.set('/', this.#newAttributes('folder', 0));
  }

  getAttributes(path: string): Promise<Attributes> {
    const attributes = this.#attributes.get(path);
    if (attributes === undefined) return Promise.reject(new FsError('ENOENT', path, 'no such name'));
    return Promise.resolve(attributes);
  }

  async *readDirectory(path: string): AsyncGenerator<readonly DirectoryEntry[], undefined> {
    const entries = this.#entries.get(path);
    if (entries === undefined) throw new FsError('ENOENT', path, 'no such folder');
    yield await Promise.resolve(entries);
  }

  open(path: string): Promise<FileHandle> {
    const identity = this.#attributes.get(path)?.identity;
    if (identity === undefined) return Promise.reject(new FsError('ENOENT', path, 'no such name'));
    return Promise.resolve({ path, identity });
  }

  read(handle: FileHandle, into: ReadInto, position: number): Promise<number> {
    const size = this.#attributes.get(handle.path)?.size ?? 0;
    const count = Math.max(0, Math.min(into.length, size - position, BLOCK_BYTES));
    into.subarray(0, count).set(this.#source.subarray(0, count));
    return Promise.resolve(count);
  }

  write(_handle: FileHandle, data: Uint8Array): Promise<number> {
    this.#sink.set(data);
    return Promise.resolve(data.length);
  }

  allocate(): Promise<void> {
    return Promise.resolve();
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  fsync(): Promise<void> {
    return Promise.resolve();
  }

  release(): Promise<void> {
    return Promise.resolve();
  }

  truncate(): Promise<void> {
    return Promise.resolve();
  }

  setAttributes(): Promise<void> {
    return Promise.resolve();
  }

  getXattr(path: string, name: string): Promise<Uint8Array> {
    return Promise.reject(new FsError('ENODATA', path, name));
  }

  listXattrs(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  create(path: string): Promise<FileHandle> {
    return refused(path);
  }

  unlink(path: string): Promise<void> {
    return refused(path);
  }

  mkdir(path: string): Promise<void> {
    return refused(path);
  }

  rmdir(path: string): Promise<void> {
    return refused(path);
  }

  rename(path: string): Promise<void> {
    return refused(path);
  }

  setXattr(path: string): Promise<void> {
    return refused(path);
  }

  removeXattr(path: string): Promise<void> {
    return refused(path);
  }

  link(path: string): Promise<never> {
    return refused(path);
  }

  statistics(): FileSystemStatistics {
    return { usedBytes: 0, freeBytes: 2 ** 40, files: this.#attributes.size, maxNameLength: 255 };
  }

  #addFolder(path: string, names: readonly string[], size: number): void {
    this.#attributes.set(path, this.#newAttributes('folder', 0));
    const entries = names.map((name) => ({ name, attributes: this.#newAttributes('file', size) }));
    this.#entries.set(path, entries);
    for (const { name, attributes } of entries) this.#attributes.set(`${path}/${name}`, attributes);
  }

  #newAttributes(kind: Attributes['kind'], size: number): Attributes {
    const time = Date.UTC(2026, 0, 1);
    const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    const times = { mtime: time, atime: time, ctime: time };
    const mode = kind === 'folder' ? 0o755 : 0o644;
    this.#lastIdentity += 1;
    const identity = kind === 'folder' ? 0 : this.#lastIdentity;
    return { kind, identity, size, links: 1, mode, ...owner, ...times, validFor: this.#validFor };
  }
}

function refused(path: string): Promise<never> {
  return Promise.reject(new FsError('EPERM', path, 'the bench changes nothing'));
}
