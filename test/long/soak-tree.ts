/** The module that the soak mounts: a tree in memory that keeps no record of what was asked. */
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { MemoryFileSystem } from '../support/memory-file-system.ts';

const FOLDERS = 20;
const FILES_IN_A_FOLDER = 100;
const FORGET_MS = 100;
const INTENT = { read: false, write: true, truncate: false, exclusive: true, mode: 0o644 };

export async function openFileSystem(): Promise<FileSystemOperations> {
  const tree = new MemoryFileSystem();
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    await tree.mkdir(`/${folder}`, 0o755);
    for (let file = 0; file < FILES_IN_A_FOLDER; file += 1) {
      const handle = await tree.create(`/${folder}/${file}`, INTENT);
      await tree.write(handle, Buffer.alloc(4096, file), 0);
      await tree.release(handle);
    }
  }
  setInterval(() => tree.takeCalls(), FORGET_MS).unref();
  return tree;
}

/** A file of the tree, chosen by a number from 0 to 1. */
export function fileAt(chance: number): string {
  const number = Math.floor(chance * FOLDERS * FILES_IN_A_FOLDER);
  return `${Math.floor(number / FILES_IN_A_FOLDER)}/${number % FILES_IN_A_FOLDER}`;
}
