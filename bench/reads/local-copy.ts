/** How fast is the disk on which caches are? A copy of a large file is there to be read. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MOST_AT_ONCE, Pattern } from '../contents/pattern.ts';

/** To be removed. */
export interface LocalCopy {
  readonly path: string;
  remove(): Promise<void>;
}

/** The pattern's first file, `size` bytes of it. */
export async function makeLocalCopy(size: number): Promise<LocalCopy> {
  const folder = await mkdtemp(path.join(tmpdir(), 'pailfs-bench-copy-'));
  const local = path.join(folder, 'large');
  const file = await open(local, 'w');
  try {
    for (const piece of new Pattern().pieces(0, { start: 0, end: size }, MOST_AT_ONCE))
      await file.writeFile(piece);
  } finally {
    await file.close();
  }
  return { path: local, remove: () => rm(folder, { recursive: true, force: true }) };
}
