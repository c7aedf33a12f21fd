/** When do names that were made, renamed or removed in a directory outlive a power cut? Once it is synchronised itself. */
import { open } from 'node:fs/promises';

/** Rejects as node:fs does. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
