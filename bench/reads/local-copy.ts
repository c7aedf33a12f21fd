/** How fast is the disk on which caches are? A copy of a large file is there to be read. */
import { open } from 'node:fs/promises';
import path from 'node:path';
import { MOST_AT_ONCE, Pattern } from '../contents/pattern.ts';
import { makeFolder } from '../frame/temporary-folder.ts';

/** The pattern's first file, `size` bytes of it. Its path; it goes when everything is undone. */
export async function makeLocalCopy(size: number): Promise<string> {
  const local = path.join(makeFolder('copy').path, 'large');
  const file = await open(local, 'w');
  try {
    for (const piece of new Pattern().pieces(0, { start: 0, end: size }, MOST_AT_ONCE))
      await file.writeFile(piece);
  } finally {
    await file.close();
  }
  return local;
}
