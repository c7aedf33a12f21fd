/** A program's files through the kernel, below `root`. */
import { constants, open, readdir, rename, stat, truncate, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Access, ProgramFiles, ProgramHandle } from './program-files.ts';

export function programOnDisk(root: string): ProgramFiles {
  const at = (path: string): string => join(root, path);
  return {
    open: async (path, access) => programHandle(await open(at(path), flagsOf(access))),
    truncate: (path, size) => truncate(at(path), size),
    unlink: (path) => unlink(at(path)),
    rename: (from, to) => rename(at(from), at(to)),
    size: async (path) => (await stat(at(path))).size,
    list: async (folder) => {
      const files = new Map<string, number>();
      for (const entry of await readdir(at(folder), { withFileTypes: true })) {
        if (entry.isFile()) files.set(entry.name, (await stat(join(at(folder), entry.name))).size);
      }
      return files;
    },
  };
}

function flagsOf({ read, write, truncate: empties, create }: Access): number {
  const mode = read && write ? constants.O_RDWR : write ? constants.O_WRONLY : constants.O_RDONLY;
  const creating =
    create === 'no' ? 0 : create === 'yes' ? constants.O_CREAT : constants.O_CREAT | constants.O_EXCL;
  return mode | creating | (empties ? constants.O_TRUNC : 0);
}

function programHandle(handle: FileHandle): ProgramHandle {
  return {
    read: async (length, position) => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length, 0xee), 0, length, position);
      return buffer.subarray(0, bytesRead);
    },
    write: async (data, position) => {
      await handle.write(data, 0, data.length, position);
    },
    truncate: (size) => handle.truncate(size),
    size: async () => (await handle.stat()).size,
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
}
