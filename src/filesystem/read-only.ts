/** What does a mount look like that must not change anything? Every change is refused before anything is asked or sent. */
import type { Waiter } from '../base/waiter.ts';
import { FsError } from './errors.ts';
import type { FileHandle, FileSystemOperations, OpenIntent } from './operations.ts';

const REASONS = { EROFS: 'mounted read-only', EACCES: 'these credentials may only read' } as const;

/** `operations` without its changes: they reject with `code`. */
export function readOnly(operations: FileSystemOperations, code: keyof typeof REASONS): FileSystemOperations {
  const refuse = (path: string): Promise<never> => Promise.reject(new FsError(code, path, REASONS[code]));
  const openUnlessChanging = (path: string, intent: OpenIntent, waiter?: Waiter): Promise<FileHandle> =>
    intent.write || intent.truncate ? refuse(path) : operations.open(path, intent, waiter);
  return {
    getAttributes: (path, handle, waiter) => operations.getAttributes(path, handle, waiter),
    readDirectory: (path, waiter) => operations.readDirectory(path, waiter),
    open: openUnlessChanging,
    create: (path) => refuse(path),
    read: (handle, into, position, waiter) => operations.read(handle, into, position, waiter),
    write: (handle) => refuse(handle.path),
    allocate: (handle) => refuse(handle.path),
    flush: (handle, isOpenElsewhere) => operations.flush(handle, isOpenElsewhere),
    fsync: (handle) => operations.fsync(handle),
    release: (handle) => operations.release(handle),
    truncate: (path) => refuse(path),
    setAttributes: (path) => refuse(path),
    unlink: (path) => refuse(path),
    mkdir: (path) => refuse(path),
    rmdir: (path) => refuse(path),
    rename: (from) => refuse(from),
    getXattr: (path, name, waiter) => operations.getXattr(path, name, waiter),
    setXattr: (path) => refuse(path),
    listXattrs: (path, waiter) => operations.listXattrs(path, waiter),
    removeXattr: (path) => refuse(path),
    link: (_path, to) => refuse(to),
    statistics: (path) => operations.statistics(path),
  };
}
