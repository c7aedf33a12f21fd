/** What does a program do in one go with a file of a tree, and how does it end? */
import type { FileHandle, FileSystemOperations } from '../../src/filesystem/operations.ts';
import { codeOf } from './program-files.ts';

/** Contents that are written once and never again, so that each tells where it came from. */
export class UniqueContents {
  #count = 0;

  next(author: string): string {
    this.#count += 1;
    return `${author}${this.#count}`.padEnd(10 + this.#count, '.');
  }
}

export function createOver(fs: FileSystemOperations, path: string): Promise<FileHandle> {
  return fs.create(path, { read: false, write: true, truncate: true, exclusive: false, mode: 0o644 });
}

export async function writeAtEnd(
  fs: FileSystemOperations,
  path: string,
  handle: FileHandle,
  piece: string,
): Promise<void> {
  const { size } = await fs.getAttributes(path, handle);
  await fs.write(handle, Buffer.from(piece), size);
}

export /** An edit goes to what the service has, or is refused; only a file deleted meanwhile is stored from what was known. */
function appended(before: string, known: readonly string[], piece: string): string[] {
  return before.startsWith('file:') ? [before.slice(5) + piece] : known.map((content) => content + piece);
}

export async function outcome(act: () => Promise<unknown>): Promise<string> {
  return act().then(
    () => 'none',
    (error: unknown) => codeOf(error),
  );
}
