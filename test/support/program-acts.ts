/** What programs do to a file system, in one line each; and what the operator's log says of it. */
import type { Log, LogFields } from '../../src/base/log.ts';
import { FsError } from '../../src/filesystem/errors.ts';
import type { FileHandle, FileSystemOperations } from '../../src/filesystem/operations.ts';
import { closing } from './open-for-test.ts';

export function openToRead(fs: FileSystemOperations, path: string): Promise<FileHandle> {
  return fs.open(path, { read: true, write: false, truncate: false });
}

/** For reading and writing, in place. */
export function openToEdit(fs: FileSystemOperations, path: string): Promise<FileHandle> {
  return fs.open(path, { read: true, write: true, truncate: false });
}

/** O_TRUNC, or O_CREAT of a name that is free. */
export function openToRewrite(fs: FileSystemOperations, path: string): Promise<FileHandle> {
  return fs.create(path, { read: true, write: true, truncate: true, exclusive: false, mode: 0o644 });
}

export async function writeAt(
  fs: FileSystemOperations,
  handle: FileHandle,
  content: string,
  position = 0,
): Promise<void> {
  await fs.write(handle, Buffer.from(content), position);
}

/** Opens in place, writes at `position`, closes. */
export async function edit(
  fs: FileSystemOperations,
  path: string,
  content: string,
  position: number,
): Promise<void> {
  const handle = await openToEdit(fs, path);
  await closing(fs, handle, () => writeAt(fs, handle, content, position));
}

/** The text of a handle's first bytes. */
export async function textAt(
  fs: FileSystemOperations,
  handle: FileHandle,
  position = 0,
  size = 100,
): Promise<string> {
  const into = Buffer.alloc(size);
  return into.subarray(0, await fs.read(handle, into, position)).toString();
}

export async function xattr(fs: FileSystemOperations, path: string, name: string): Promise<string> {
  return Buffer.from(await fs.getXattr(path, name)).toString();
}

export async function setXattr(
  fs: FileSystemOperations,
  path: string,
  name: string,
  value: string,
): Promise<void> {
  await fs.setXattr(path, name, Buffer.from(value), 'any');
}

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

/** Keeps every line. */
export class LogForTest implements Log {
  readonly lines: LogLine[] = [];

  debug(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'debug', message, fields });
  }

  info(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'info', message, fields });
  }

  warn(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'warn', message, fields });
  }

  error(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'error', message, fields });
  }

  /** The lines whose message holds `part`. */
  about(part: string): LogLine[] {
    return this.lines.filter(({ message }) => message.includes(part));
  }
}

/** The name of the error that `call` ends with; `none` when it succeeds. Rejects with anything that is no error of a call. */
export async function errnoOfCall(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'none';
  } catch (error) {
    if (error instanceof FsError) return error.code;
    throw error;
  }
}
