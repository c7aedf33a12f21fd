/** What goes up with a request, and how does its upload count as progress? */
import { Readable } from 'node:stream';
import type { RunningClock } from '../base/running-clock.ts';
import { Refusal } from '../service/refusal.ts';
import { detailsOf } from './ask.ts';
import type { Ask } from './ask.ts';
import type { Deadlines } from './deadlines.ts';
import type { Traffic } from './traffic.ts';
import { isShort, uploadStream, wholeUpload } from './upload-stream.ts';
import type { Watch } from './watch.ts';

/** As undici takes it. A stream is the caller's to destroy. */
export type RequestBody = Readable | Uint8Array | string | null;

/** How far a call has come, over all tries. */
export interface Progress {
  /** Bytes of an upload, and when, running milliseconds. */
  farthest: number;
  at: number;
  /** Whether nobody knows the end of one of its tries. */
  hasUnknown: boolean;
  /** Whether the connection of the last try was handed all bytes. */
  isAllHanded: boolean;
}

interface Circumstances {
  readonly watch: Watch;
  readonly progress: Progress;
  readonly clock: RunningClock;
  readonly deadlines: Deadlines;
  readonly traffic: Traffic;
}

/** Rejects with a `Refusal`, or with the error of the upload's source. */
export async function bodyOf(ask: Ask, circumstances: Circumstances): Promise<RequestBody> {
  if (ask.document !== undefined) return JSON.stringify(ask.document);
  if (ask.upload === undefined) return null;
  const { watch, progress, clock, deadlines, traffic } = circumstances;
  const { size } = ask.upload;
  progress.isAllHanded = isShort(ask.upload);
  if (isShort(ask.upload)) {
    traffic.sent(size);
    return watch.race(wholeUpload(ask.upload, detailsOf(ask)));
  }
  let before = 0;
  const onProgress = (sent: number): void => {
    watch.expect('progress of the upload', deadlines.uploadIdle);
    traffic.sent(sent - before);
    before = sent;
    progress.isAllHanded = sent === size;
    if (sent <= progress.farthest) return;
    progress.farthest = sent;
    progress.at = clock.monotonic();
  };
  const stream = Readable.from(uploadStream(ask.upload, detailsOf(ask), onProgress), { highWaterMark: 1 });
  // undici hears errors while it sends; one that comes after an early answer concerns nobody.
  return stream.on('error', () => undefined);
}

/**
 * Rejects what an answer says of an upload whose bytes had not all been handed to the connection when the answer was here: that has ended
 * by then, and the service has not what it calls stored. The end of the stream comes too late to tell: over TLS the answer to a complete
 * upload may be here before it.
 */
export function requireAllSent(ask: Ask, progress: Progress): void {
  if (ask.upload === undefined || progress.isAllHanded) return;
  throw new Refusal('malformed', 'the answer came before all bytes were sent', detailsOf(ask));
}
