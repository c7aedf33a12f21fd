/** What does a process that serves a mount say that a person reading a test's output must see? */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** libfuse says so for each request of a burst where threads are few; it then serves with those that it has. */
const NOISE = 'fuse: error creating thread: Resource temporarily unavailable';

/** Copies the lines of a process's stderr to ours, but for those of libfuse that mean nothing. */
export function passOnComplaints(stderr: Readable): void {
  createInterface({ input: stderr }).on('line', (line) => {
    if (line !== NOISE) console.error(line);
  });
}
