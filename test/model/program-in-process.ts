/** A program's files without a kernel: each system call as the driver would pass it on. */
import type { FileHandle, FileSystemOperations } from '../../src/filesystem/operations.ts';
import type { Access, ProgramFiles, ProgramHandle } from './program-files.ts';
import { entriesOf } from '../support/directory-entries.ts';

export function programInProcess(fs: FileSystemOperations): ProgramFiles {
  return {
    open: async (path, access) => programHandle(fs, path, await open(fs, path, access)),
    truncate: (path, size) => fs.truncate(path, size),
    unlink: (path) => fs.unlink(path),
    rename: (from, to) => fs.rename(from, to, false),
    renameNoReplace: (from, to) => fs.rename(from, to, true),
    size: async (path) => (await fs.getAttributes(path)).size,
    list: async (folder) => {
      const entries = await entriesOf(fs, folder);
      const files = entries.filter(({ attributes }) => attributes.kind === 'file');
      return new Map(files.map(({ name, attributes }) => [name, attributes.size]));
    },
  };
}

function open(fs: FileSystemOperations, path: string, access: Access): Promise<FileHandle> {
  const { read, write, truncate, create } = access;
  if (create === 'no') return fs.open(path, { read, write, truncate });
  return fs.create(path, { read, write, truncate, exclusive: create === 'exclusive', mode: 0o644 });
}

function programHandle(fs: FileSystemOperations, path: string, handle: FileHandle): ProgramHandle {
  return {
    read: async (length, position) => {
      const into = Buffer.alloc(length, 0xee);
      return into.subarray(0, await fs.read(handle, into, position));
    },
    write: async (data, position) => {
      await fs.write(handle, data, position);
    },
    truncate: (size) => fs.truncate(path, size, handle),
    size: async () => (await fs.getAttributes(path, handle)).size,
    sync: () => fs.fsync(handle),
    closeDuplicate: () => fs.flush(handle),
    close: async () => {
      try {
        await fs.flush(handle);
      } finally {
        await fs.release(handle);
      }
    },
    abandon: () => fs.release(handle),
  };
}
