/**
 * What should files be like after any operations on them? A model in a few lines: names lead to contents, handles to contents
 * without names. `FileModel.run` does one operation on the model and on the real thing, and compares.
 */
import { expect } from 'vitest';
import { patternedBytes } from '../support/patterned-bytes.ts';
import type { FileOperation } from './file-operations.ts';
import { codeOf, type ProgramFiles, type ProgramHandle } from './program-files.ts';

interface ModelFile {
  bytes: Buffer;
  /** The name is gone, and the file was too large to be kept for those who have it open (design: unlink while open). */
  mayBeStale: boolean;
}

interface ModelHandle {
  readonly file: ModelFile;
  readonly canRead: boolean;
  readonly canWrite: boolean;
  readonly real: ProgramHandle;
}

export interface FileModelParts {
  readonly files: ProgramFiles;
  /** What every path begins with; empty for the mount's top. */
  readonly top: string;
  /** Bytes of files kept for those who have them open when their name goes. */
  readonly memoryLimit: number;
  /** What the service holds under the path; null for nothing. */
  stored(path: string): Promise<Buffer | null>;
}

export class FileModel {
  readonly #parts: FileModelParts;
  readonly #names = new Map<string, ModelFile>();
  #handles: ModelHandle[] = [];

  constructor(parts: FileModelParts) {
    this.#parts = parts;
  }

  /** The service has this file already. Before the first operation. */
  begin(path: string, bytes: Buffer): void {
    this.#names.set(path, { bytes, mayBeStale: false });
  }

  async run(operation: FileOperation): Promise<void> {
    switch (operation.kind) {
      case 'open':
        return this.#open(operation);
      case 'write':
        return this.#write(operation);
      case 'read':
        return this.#read(operation);
      case 'truncate':
        return this.#truncate(operation);
      case 'end':
        return this.#end(operation);
      case 'sync':
        return this.#sync(operation.handle);
      case 'stat':
        return this.#stat(operation.target);
      case 'list':
        return this.#list(operation.folder);
      case 'unlink':
        return this.#unlink(operation.path);
      case 'rename':
        return this.#rename(operation);
    }
  }

  async closeAll(): Promise<void> {
    for (const handle of this.#handles) await handle.real.close();
    this.#handles = [];
  }

  /** Whether the service holds exactly what the model holds. For after `closeAll`. */
  async expectStored(paths: ReadonlySet<string>): Promise<void> {
    expect([...paths].sort()).toEqual([...this.#names.keys()].map((path) => this.#real(path)).sort());
    for (const [path, file] of this.#names) await this.#expectStoredAt(path, file);
  }

  async #open({ path, access }: Extract<FileOperation, { kind: 'open' }>): Promise<void> {
    const existing = this.#names.get(path);
    const opening = this.#parts.files.open(this.#real(path), access);
    if (existing === undefined && access.create === 'no') return expectCode(opening, 'ENOENT');
    if (existing !== undefined && access.create === 'exclusive') return expectCode(opening, 'EEXIST');
    const file = existing ?? { bytes: Buffer.alloc(0), mayBeStale: false };
    const real = await opening;
    if (access.truncate) file.bytes = Buffer.alloc(0);
    this.#names.set(path, file);
    this.#handles.push({ file, canRead: access.read, canWrite: access.write, real });
  }

  async #write({ handle, at, size, seed }: Extract<FileOperation, { kind: 'write' }>): Promise<void> {
    const chosen = this.#handle(handle);
    // Neither node nor the kernel passes on a write of no bytes.
    if (chosen === undefined || size === 0) return;
    const { file, real } = chosen;
    const data = Buffer.from(patternedBytes(size, seed));
    const position = at === 'end' ? file.bytes.length : at;
    const writing = real.write(data, position);
    if (!chosen.canWrite) return expectCode(writing, 'EBADF');
    if (await isStale(file, writing)) return;
    const length = Math.max(file.bytes.length, position + size);
    const bytes = Buffer.alloc(length);
    file.bytes.copy(bytes);
    data.copy(bytes, position);
    file.bytes = bytes;
  }

  async #read({ handle, at, size }: Extract<FileOperation, { kind: 'read' }>): Promise<void> {
    const chosen = this.#handle(handle);
    if (chosen === undefined || size === 0) return;
    const reading = chosen.real.read(size, at);
    if (!chosen.canRead) return expectCode(reading, 'EBADF');
    if (await isStale(chosen.file, reading)) return;
    expectBytes(await reading, chosen.file.bytes.subarray(at, at + size));
  }

  async #truncate({ target, size }: Extract<FileOperation, { kind: 'truncate' }>): Promise<void> {
    if (typeof target === 'string') {
      const file = this.#names.get(target);
      const truncating = this.#parts.files.truncate(this.#real(target), size);
      if (file === undefined) return expectCode(truncating, 'ENOENT');
      await truncating;
      file.bytes = resized(file.bytes, size);
      return;
    }
    const chosen = this.#handle(target);
    if (chosen?.canWrite !== true) return;
    if (await isStale(chosen.file, chosen.real.truncate(size))) return;
    chosen.file.bytes = resized(chosen.file.bytes, size);
  }

  async #end({ handle, how }: Extract<FileOperation, { kind: 'end' }>): Promise<void> {
    const chosen = this.#handle(handle);
    if (chosen === undefined) return;
    if (how === 'closeDuplicate') return chosen.real.closeDuplicate?.();
    this.#handles = this.#handles.filter((other) => other !== chosen);
    await (how === 'abandon' && chosen.real.abandon !== undefined
      ? chosen.real.abandon()
      : chosen.real.close());
  }

  async #sync(handle: number): Promise<void> {
    const chosen = this.#handle(handle);
    if (chosen === undefined) return;
    await chosen.real.sync();
    for (const [path, file] of this.#names) if (file === chosen.file) await this.#expectStoredAt(path, file);
  }

  async #stat(target: number | string): Promise<void> {
    if (typeof target === 'string') {
      const file = this.#names.get(target);
      const asking = this.#parts.files.size(this.#real(target));
      if (file === undefined) return expectCode(asking, 'ENOENT');
      expect(await asking).toBe(file.bytes.length);
      return;
    }
    const chosen = this.#handle(target);
    if (chosen !== undefined) expect(await chosen.real.size()).toBe(chosen.file.bytes.length);
  }

  async #list(folder: string): Promise<void> {
    const expected = new Map<string, number>();
    for (const [path, file] of this.#names) {
      const slash = path.lastIndexOf('/');
      if (path.slice(0, slash) === folder) expected.set(path.slice(slash + 1), file.bytes.length);
    }
    const listed = await this.#parts.files.list(this.#real(folder));
    expect([...listed].sort()).toEqual([...expected].sort());
  }

  async #unlink(path: string): Promise<void> {
    const file = this.#names.get(path);
    const unlinking = this.#parts.files.unlink(this.#real(path));
    if (file === undefined) return expectCode(unlinking, 'ENOENT');
    await unlinking;
    this.#nameGoes(path, file);
  }

  async #rename({ from, to, noReplace }: Extract<FileOperation, { kind: 'rename' }>): Promise<void> {
    const { files } = this.#parts;
    const source = this.#names.get(from);
    const target = this.#names.get(to);
    const careful = noReplace && files.renameNoReplace !== undefined;
    const renaming =
      careful && files.renameNoReplace !== undefined
        ? files.renameNoReplace(this.#real(from), this.#real(to))
        : files.rename(this.#real(from), this.#real(to));
    if (source === undefined) return expectCode(renaming, 'ENOENT');
    if (target !== undefined && careful) return expectCode(renaming, 'EEXIST');
    await renaming;
    if (from === to) return;
    if (target !== undefined) this.#nameGoes(to, target);
    this.#names.delete(from);
    this.#names.set(to, source);
  }

  #nameGoes(path: string, file: ModelFile): void {
    this.#names.delete(path);
    file.mayBeStale = file.bytes.length > this.#parts.memoryLimit;
  }

  async #expectStoredAt(path: string, file: ModelFile): Promise<void> {
    const stored = await this.#parts.stored(this.#real(path));
    if (stored === null) throw new Error(`the service has nothing under ${path}`);
    expectBytes(stored, file.bytes);
  }

  #handle(index: number): ModelHandle | undefined {
    return this.#handles.length === 0 ? undefined : this.#handles[index % this.#handles.length];
  }

  #real(path: string): string {
    return `${this.#parts.top}${path}` || '/';
  }
}

function resized(bytes: Buffer, size: number): Buffer {
  const result = Buffer.alloc(size);
  bytes.copy(result);
  return result;
}

/** Without printing hundreds of kilobytes. */
export function expectBytes(actual: Buffer, expected: Buffer): void {
  if (actual.equals(expected)) return;
  const shorter = Math.min(actual.length, expected.length);
  let at = 0;
  while (at < shorter && actual[at] === expected[at]) at += 1;
  throw new Error(
    `${actual.length} bytes instead of ${expected.length}, different from byte ${at}: ` +
      `${actual.subarray(at, at + 16).toString('hex')} instead of ${expected.subarray(at, at + 16).toString('hex')}`,
  );
}

export async function expectCode(call: Promise<unknown>, code: string): Promise<void> {
  const outcome = await call.then(
    () => 'no error',
    (error: unknown) => codeOf(error),
  );
  expect(outcome).toBe(code);
}

async function isStale(file: ModelFile, call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return false;
  } catch (error) {
    if (file.mayBeStale && codeOf(error) === 'ESTALE') return true;
    throw error;
  }
}
