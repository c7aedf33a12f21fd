/** What does a folder hold, all in all? For those who do not mind when its names become known. */
import type { DirectoryEntry, FileSystemOperations } from '../../src/filesystem/operations.ts';

export async function entriesOf(
  fs: Pick<FileSystemOperations, 'readDirectory'>,
  path: string,
): Promise<DirectoryEntry[]> {
  const batches: (readonly DirectoryEntry[])[] = [];
  for await (const batch of fs.readDirectory(path)) batches.push(batch);
  return batches.flat();
}
