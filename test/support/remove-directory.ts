/** How does what a test made on the disk go, when something that ends a little later may still write there? */
import { rm } from 'node:fs/promises';

/** Ten seconds and a half in all, each wait a little longer. */
const RETRIES = { maxRetries: 20, retryDelay: 50 };

/** With all that is in it; one that is gone is fine. */
export function removeDirectory(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true, ...RETRIES });
}
