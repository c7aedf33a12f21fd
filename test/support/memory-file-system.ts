/** What does the smallest complete file system look like? For tests of the drivers: everything in memory, nothing delayed unless asked. */
import { isDeepStrictEqual } from 'node:util';
import type { ReadInto } from '../../src/base/read-into.ts';
import { STAYING, unlessLeaving, type Waiter } from '../../src/base/waiter.ts';
import { FsError, type ErrnoName } from '../../src/filesystem/errors.ts';
import type {
  AttributeChange,
  Attributes,
  CreateIntent,
  DirectoryEntry,
  FileHandle,
  FileSystemOperations,
  FileSystemStatistics,
  OpenIntent,
  ShownListing,
  XattrSetMode,
} from '../../src/filesystem/operations.ts';

interface MemoryNode {
  readonly kind: 'file' | 'folder';
  readonly identity: number;
  bytes: Uint8Array;
  mode: number;
  uid: number;
  gid: number;
  mtime: number;
  atime: number;
  ctime: number;
  readonly xattrs: Map<string, Uint8Array>;
}

interface Held {
  readonly ended: Promise<void>;
  readonly end: () => void;
}

interface MemoryHandle extends FileHandle {
  path: string;
  readonly node: MemoryNode;
}

const FREE_BYTES = 2 ** 50;

export class MemoryFileSystem implements FileSystemOperations {
  readonly #nodes = new Map<string, MemoryNode>();
  readonly #handles = new Set<MemoryHandle>();
  readonly #failures = new Map<string, ErrnoName>();
  readonly #delays = new Map<string, number>();
  readonly #held = new Map<string, Held>();
  readonly #calls: string[] = [];
  #validFor = 0;
  #lastIdentity = 0;

  constructor() {
    this.#nodes.set('/', this.#newNode('folder', 0o755));
  }

  /** From now on `operation` (e.g. `flush`) is refused, or with undefined no longer. */
  fail(operation: string, code: ErrnoName | undefined): void {
    if (code === undefined) this.#failures.delete(operation);
    else this.#failures.set(operation, code);
  }

  /** From now on `operation` takes this long. */
  delay(operation: string, milliseconds: number): void {
    this.#delays.set(operation, milliseconds);
  }

  /** From now on `operation` of `path` waits for `letGo`. */
  hold(operation: string, path: string): void {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#held.set(`${operation} ${path}`, { ended, end });
  }

  /** Nothing waits any more. */
  letGo(): void {
    for (const { end } of this.#held.values()) end();
    this.#held.clear();
  }

  /** From now on everything may be trusted for this long. */
  trust(milliseconds: number): void {
    this.#validFor = milliseconds;
  }

  /** Somebody else stores another file at `path`; who has the old one open keeps it. */
  replace(path: string, text: string): void {
    const node = this.#newNode('file', 0o644);
    node.bytes = new Uint8Array(Buffer.from(text));
    this.#nodes.set(path, node);
  }

  /** Somebody else deletes `path`. */
  remove(path: string): void {
    this.#nodes.delete(path);
  }

  /** What was asked for since the last time, as `operation path`. */
  takeCalls(): readonly string[] {
    return this.#calls.splice(0);
  }

  /** How many handles were not released. */
  get openCount(): number {
    return this.#handles.size;
  }

  /** The bytes of a file, as text. */
  text(path: string): string {
    return Buffer.from(this.#existing(path).bytes).toString();
  }

  async getAttributes(path: string, handle?: FileHandle): Promise<Attributes> {
    await this.#enter('getAttributes', path);
    return attributesOf(this.#target(path, handle), this.#validFor);
  }

  async *readDirectory(path: string): AsyncGenerator<readonly DirectoryEntry[], ShownListing | undefined> {
    await this.#enter('readDirectory', path);
    this.#folder(path);
    const children = this.#childrenOf(path);
    yield children.map(([name, node]) => ({ name, attributes: attributesOf(node, this.#validFor) }));
    const isSame = (): boolean =>
      isDeepStrictEqual(namesAndNodes(children), namesAndNodes(this.#childrenOf(path)));
    return {
      stillFor: () => (isSame() ? this.#validFor : 0),
      listedAgain: () => {
        this.#calls.push(`listedAgain ${path}`);
      },
    };
  }

  async open(path: string, intent: OpenIntent): Promise<FileHandle> {
    await this.#enter('open', path);
    const node = this.#existing(path);
    if (node.kind === 'folder') throw new FsError('EISDIR', path, 'a folder');
    if (intent.truncate) this.#resize(node, 0);
    return this.#newHandle(path, node);
  }

  async create(path: string, intent: CreateIntent): Promise<FileHandle> {
    await this.#enter('create', path);
    const found = this.#nodes.get(path);
    if (found !== undefined && intent.exclusive) throw new FsError('EEXIST', path, 'exists');
    const node = found ?? this.#add(path, this.#newNode('file', intent.mode));
    return this.#newHandle(path, node);
  }

  async read(handle: FileHandle, into: ReadInto, position: number, waiter?: Waiter): Promise<number> {
    await this.#enter('read', handle.path, waiter);
    const { bytes } = this.#nodeOf(handle);
    const part = bytes.subarray(position, position + into.length);
    into.subarray(0, part.length).set(part);
    return part.length;
  }

  async write(handle: FileHandle, data: Uint8Array, position: number): Promise<number> {
    await this.#enter('write', handle.path);
    const node = this.#nodeOf(handle);
    if (position + data.length > node.bytes.length) this.#resize(node, position + data.length);
    node.bytes.set(data, position);
    node.mtime = Date.now();
    return data.length;
  }

  async allocate(handle: FileHandle, { end }: { readonly end: number }, keepsSize: boolean): Promise<void> {
    const size = Math.max(end, this.#nodeOf(handle).bytes.length);
    if (!keepsSize) await this.truncate(handle.path, size, handle);
  }

  async flush(handle: FileHandle): Promise<void> {
    await this.#enter('flush', handle.path);
  }

  async fsync(handle: FileHandle): Promise<void> {
    await this.#enter('fsync', handle.path);
  }

  async release(handle: FileHandle): Promise<void> {
    await this.#enter('release', handle.path);
    this.#handles.delete(handle as MemoryHandle);
  }

  async truncate(path: string, size: number, handle?: FileHandle): Promise<void> {
    await this.#enter('truncate', path);
    this.#resize(this.#target(path, handle), size);
  }

  async setAttributes(path: string, change: AttributeChange, handle?: FileHandle): Promise<void> {
    await this.#enter('setAttributes', path);
    const node = this.#target(path, handle);
    node.mode = change.mode ?? node.mode;
    node.uid = change.uid ?? node.uid;
    node.gid = change.gid ?? node.gid;
    node.atime = change.atime ?? node.atime;
    node.mtime = change.mtime ?? node.mtime;
    node.ctime = Date.now();
  }

  async unlink(path: string): Promise<void> {
    await this.#enter('unlink', path);
    if (this.#existing(path).kind === 'folder') throw new FsError('EISDIR', path, 'a folder');
    this.#nodes.delete(path);
  }

  async mkdir(path: string, mode: number): Promise<void> {
    await this.#enter('mkdir', path);
    if (this.#nodes.has(path)) throw new FsError('EEXIST', path, 'exists');
    this.#add(path, this.#newNode('folder', mode));
  }

  async rmdir(path: string): Promise<void> {
    await this.#enter('rmdir', path);
    this.#folder(path);
    if (this.#childrenOf(path).length > 0) throw new FsError('ENOTEMPTY', path, 'not empty');
    this.#nodes.delete(path);
  }

  async rename(from: string, to: string, noReplace: boolean): Promise<void> {
    await this.#enter('rename', from);
    const node = this.#existing(from);
    const target = this.#nodes.get(to);
    if (target !== undefined && noReplace) throw new FsError('EEXIST', to, 'exists');
    if (target?.kind === 'folder') {
      if (node.kind === 'file') throw new FsError('EISDIR', to, 'a folder');
      if (this.#childrenOf(to).length > 0) throw new FsError('ENOTEMPTY', to, 'not empty');
    }
    const moved = (path: string): string => to + path.slice(from.length);
    const isMoved = (path: string): boolean => path === from || path.startsWith(`${from}/`);
    for (const [path, child] of [...this.#nodes].filter(([candidate]) => isMoved(candidate))) {
      this.#nodes.delete(path);
      this.#nodes.set(moved(path), child);
    }
    for (const handle of this.#handles) if (isMoved(handle.path)) handle.path = moved(handle.path);
  }

  async getXattr(path: string, name: string): Promise<Uint8Array> {
    await this.#enter('getXattr', path);
    const value = this.#existing(path).xattrs.get(name);
    if (value === undefined) throw new FsError('ENODATA', path, name);
    return value;
  }

  async setXattr(path: string, name: string, value: Uint8Array, mode: XattrSetMode): Promise<void> {
    await this.#enter('setXattr', path);
    const { xattrs } = this.#existing(path);
    if (mode === 'create' && xattrs.has(name)) throw new FsError('EEXIST', path, name);
    if (mode === 'replace' && !xattrs.has(name)) throw new FsError('ENODATA', path, name);
    xattrs.set(name, value);
  }

  async listXattrs(path: string): Promise<readonly string[]> {
    await this.#enter('listXattrs', path);
    return [...this.#existing(path).xattrs.keys()];
  }

  async removeXattr(path: string, name: string): Promise<void> {
    await this.#enter('removeXattr', path);
    if (!this.#existing(path).xattrs.delete(name)) throw new FsError('ENODATA', path, name);
  }

  link(_path: string, to: string): Promise<never> {
    return Promise.reject(new FsError('EPERM', to, 'no second names'));
  }

  statistics(): FileSystemStatistics {
    const usedBytes = [...this.#nodes.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
    return { usedBytes, freeBytes: FREE_BYTES, files: this.#nodes.size, maxNameLength: 255 };
  }

  async #enter(operation: string, path: string, waiter: Waiter = STAYING): Promise<void> {
    this.#calls.push(`${operation} ${path}`);
    const delay = this.#delays.get(operation);
    await this.#held.get(`${operation} ${path}`)?.ended;
    if (delay !== undefined) await delayed(delay, path, waiter);
    const failure = this.#failures.get(operation);
    if (failure !== undefined) throw new FsError(failure, path, 'as the test asked');
  }

  #target(path: string, handle: FileHandle | undefined): MemoryNode {
    return handle === undefined ? this.#existing(path) : this.#nodeOf(handle);
  }

  #nodeOf(handle: FileHandle): MemoryNode {
    const known = handle as MemoryHandle;
    if (!this.#handles.has(known)) throw new FsError('EBADF', handle.path, 'released');
    return known.node;
  }

  #existing(path: string): MemoryNode {
    const node = this.#nodes.get(path);
    if (node === undefined) throw new FsError('ENOENT', path, 'no such name', { validFor: this.#validFor });
    return node;
  }

  #folder(path: string): void {
    if (this.#existing(path).kind === 'file') throw new FsError('ENOTDIR', path, 'a file');
  }

  #childrenOf(path: string): [string, MemoryNode][] {
    const prefix = path === '/' ? '/' : `${path}/`;
    return [...this.#nodes].flatMap(([candidate, node]): [string, MemoryNode][] => {
      const name = candidate.slice(prefix.length);
      return candidate.startsWith(prefix) && name !== '' && !name.includes('/') ? [[name, node]] : [];
    });
  }

  #add(path: string, node: MemoryNode): MemoryNode {
    this.#folder(path.slice(0, path.lastIndexOf('/')) || '/');
    this.#nodes.set(path, node);
    return node;
  }

  #newNode(kind: MemoryNode['kind'], mode: number): MemoryNode {
    const now = Date.now();
    const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    const times = { mtime: now, atime: now, ctime: now };
    const bytes = new Uint8Array();
    this.#lastIdentity += 1;
    const identity = kind === 'file' ? this.#lastIdentity : 0;
    return { kind, identity, bytes, mode, ...owner, ...times, xattrs: new Map() };
  }

  #newHandle(path: string, node: MemoryNode): MemoryHandle {
    const handle = { path, node, identity: node.identity };
    this.#handles.add(handle);
    return handle;
  }

  #resize(node: MemoryNode, size: number): void {
    // Grows by half, so that a long file of small writes is not copied each time.
    if (size > node.bytes.buffer.byteLength) {
      const room = new Uint8Array(Math.ceil(size * 1.5));
      room.set(node.bytes);
      node.bytes = room.subarray(0, size);
    } else {
      const before = node.bytes.length;
      node.bytes = new Uint8Array(node.bytes.buffer, 0, size);
      node.bytes.fill(0, Math.min(before, size));
    }
    node.mtime = Date.now();
  }
}

async function delayed(milliseconds: number, path: string, waiter: Waiter): Promise<void> {
  try {
    await unlessLeaving(waiter, new Promise((resolve) => setTimeout(resolve, milliseconds)));
  } catch (cause) {
    throw new FsError('EINTR', path, 'interrupted', { cause });
  }
}

function namesAndNodes(children: readonly (readonly [string, MemoryNode])[]): (string | number)[][] {
  return children.map(([name, { kind, identity }]) => [name, kind, identity]);
}

function attributesOf(node: MemoryNode, validFor: number): Attributes {
  const { kind, identity, bytes, mode, uid, gid, mtime, atime, ctime } = node;
  return { kind, identity, size: bytes.length, links: 1, mode, uid, gid, mtime, atime, ctime, validFor };
}
