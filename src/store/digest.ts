/** What are the bytes that an answer brings? Read for their digest alone, and no longer than a read may take. */
import { createHash } from 'node:crypto';
import type { RunningClock } from '../base/running-clock.ts';
import type { Download } from '../service/object-service.ts';
import type { ObjectHead } from '../service/records.ts';
import { RangeProgress } from './range-progress.ts';
import { noteArrival } from './read-deadline.ts';

/** Of the bytes that one answer brought. */
export interface StoredDigest {
  readonly head: ObjectHead;
  readonly md5: string;
}

/** Of all of the file under `key`. Rejects as its body does, and with `timeout` when its bytes only drip. */
export async function digestOf(
  { head, body }: Download,
  key: string,
  clock: RunningClock,
): Promise<StoredDigest> {
  const hash = createHash('md5');
  const progress = new RangeProgress({ start: 0, end: head.size }, clock);
  const stop = clock.count();
  try {
    for await (const data of body) {
      hash.update(data);
      progress.next += data.byteLength;
      noteArrival(data.byteLength, key, progress);
    }
  } finally {
    stop();
  }
  return { head, md5: hash.digest('hex') };
}
