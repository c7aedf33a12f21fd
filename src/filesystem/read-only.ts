/** What does a mount look like that must not change anything? Every change is refused before anything is asked or sent. */
import { FsError } from './errors.ts';
import type { FileHandle, FileSystemOperations, OpenIntent } from './operations.ts';

/** `operations` without its changes: they reject with EROFS. */
export function readOnly(operations: FileSystemOperations): FileSystemOperations {
  const refuse = (path: string): Promise<never> =>
    Promise.reject(new FsError('EROFS', path, 'mounted read-only'));
  const openUnlessChanging = (path: string, intent: OpenIntent): Promise<FileHandle> =>
    intent.write || intent.truncate ? refuse(path) : operations.open(path, intent);
  return {
    getAttributes: (path, handle) => operations.getAttributes(path, handle),
    readDirectory: (path) => operations.readDirectory(path),
    open: openUnlessChanging,
    create: (path) => refuse(path),
    read: (handle, into, position) => operations.read(handle, into, position),
    write: (handle) => refuse(handle.path),
    flush: (handle) => operations.flush(handle),
    fsync: (handle) => operations.fsync(handle),
    release: (handle) => operations.release(handle),
    truncate: (path) => refuse(path),
    setAttributes: (path) => refuse(path),
    unlink: (path) => refuse(path),
    mkdir: (path) => refuse(path),
    rmdir: (path) => refuse(path),
    rename: (from) => refuse(from),
    getXattr: (path, name) => operations.getXattr(path, name),
    setXattr: (path) => refuse(path),
    listXattrs: (path) => operations.listXattrs(path),
    removeXattr: (path) => refuse(path),
    statistics: () => operations.statistics(),
  };
}
