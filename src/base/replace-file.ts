/** How does a small file get other content at once? Whoever reads it finds the old content or the new one, and never a part. */
import { rename, rm, writeFile } from 'node:fs/promises';

/**
 * `file` holds `text` from now on, with this `mode`. One call at a time for each file. Not safe against a power cut. Rejects as node:fs does;
 * then the file is as it was, and nothing is left beside it.
 */
export async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  const temporary = `${file}.new`;
  try {
    await writeFile(temporary, text, { mode });
    await rename(temporary, file);
  } catch (error) {
    // A full disk has room for a name, but for nothing in it.
    await rm(temporary, { force: true });
    throw error;
  }
}
