/** What runs in the thread that waits at the device? It does nothing else, so the kernel's next request never waits for an answer. */
import { readSync } from 'node:fs';
import { constants } from 'node:os';
import { workerData } from 'node:worker_threads';
import { RingWriter } from './request-ring.ts';

/** What the thread is told. */
export interface DeviceReaderData {
  readonly descriptor: number;
  readonly ring: SharedArrayBuffer;
}

/** The request was taken back, or a signal came, before we had it. */
const TRY_AGAIN: ReadonlySet<number> = new Set([
  constants.errno.ENOENT,
  constants.errno.EINTR,
  constants.errno.EAGAIN,
]);

const { descriptor, ring: memory } = workerData as DeviceReaderData;
const ring = new RingWriter(memory);
let ended = 0;
while (ended === 0) {
  const slot = ring.claim();
  try {
    ring.publish(readSync(descriptor, slot));
  } catch (error) {
    const errno = errnoOf(error);
    if (!TRY_AGAIN.has(errno)) ended = errno;
  }
}
ring.end(ended);

function errnoOf(error: unknown): number {
  if (error instanceof Error && 'errno' in error && typeof error.errno === 'number') {
    return Math.abs(error.errno);
  }
  return constants.errno.EIO;
}
