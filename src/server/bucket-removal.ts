/** How does everything in a bucket go? (§4.5) */
import type { Blobs } from './blobs.ts';
import { entryKey, type Index, type RowChange } from './index-rows.ts';

/** So many rows at a time, so that a large bucket does not fill the memory. */
const PORTION = 1000;

/** Removes all files and folders of a bucket that nobody can reach any more. May be repeated after a crash. */
export async function removeEntries(index: Index, blobs: Blobs, bucket: string): Promise<void> {
  for (let removed = PORTION; removed === PORTION;) removed = await removePortion(index, blobs, bucket);
}

async function removePortion(index: Index, blobs: Blobs, bucket: string): Promise<number> {
  const changes: RowChange[] = [];
  const unused: string[] = [];
  const cursor = index.entries(bucket, '', '');
  try {
    while (changes.length < PORTION) {
      const entry = await cursor.next();
      if (entry === undefined) break;
      changes.push({ type: 'del', key: entryKey(bucket, entry.key) });
      if (entry.row.kind === 'file') unused.push(entry.row.blob);
    }
  } finally {
    await cursor.close();
  }
  await index.commit(changes);
  for (const blob of unused) await blobs.remove(blob);
  return changes.length;
}
