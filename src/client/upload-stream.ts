/**
 * Which bytes go into the request of an upload?
 *
 * Never enough of them to look like a complete object when they are not: the piece that would complete the announced size
 * is held back until the source has said that nothing follows.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Refusal } from '../service/refusal.ts';
import type { RefusalDetails } from '../service/refusal.ts';
import type { UploadBody } from '../service/object-service.ts';

/** Bytes handed to the socket at once: small enough that a slow line shows progress, large enough to cost nothing. */
const PIECE_SIZE = 128 * 1024;

/** Whether `wholeUpload` will do: of fewer bytes than a piece nobody would see progress anyway. */
export function isShort(body: UploadBody): boolean {
  return body.size <= PIECE_SIZE;
}

/** All bytes of a short upload, to be sent along with the headers: a stream takes longer than they do. Rejects as `uploadStream`. */
export async function wholeUpload(body: UploadBody, details: RefusalDetails): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of body.open()) {
      pieces.push(piece);
      size += piece.byteLength;
      if (size > body.size) break;
    }
  } catch (cause) {
    throw sourceFailed(cause, details);
  }
  if (size > body.size) throw wrongSize(moreThan(body), details);
  if (size < body.size) throw wrongSize(lessThan(body, size), details);
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}

/**
 * The bytes of one try. Rejects with `aborted`, its cause being the source's own error, when the source fails, or when it
 * yields more or fewer bytes than `body.size`. `onProgress` hears, each time the socket asks for more, how much it has taken.
 *
 * A part is longer than what undici lets a socket hold before it is sent (64 KiB, over TLS 16): more is asked for ahead of that once at most. So the
 * socket is done with all but the last part when the one after that is asked for, and what came before is given back to the source.
 */
export async function* uploadStream(
  body: UploadBody,
  details: RefusalDetails,
  onProgress: (sent: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let sent = 0;
  let before: Uint8Array | null = null;
  for await (const piece of announced(body, details)) {
    for (let start = 0; start < piece.byteLength; start += PIECE_SIZE) {
      // An answer that came early must be read before the next write, which may fail because the service hung up.
      await nextTurn();
      const part = piece.subarray(start, start + PIECE_SIZE);
      sent += part.byteLength;
      yield part;
      onProgress(sent);
      if (before !== null) body.giveBack?.(before);
      before = null;
    }
    if (piece.byteLength % PIECE_SIZE === 0) before = piece;
  }
}

/** The source's non-empty pieces, checked against `body.size`. */
async function* announced(body: UploadBody, details: RefusalDetails): AsyncGenerator<Uint8Array> {
  let size = 0;
  let held: Uint8Array | undefined;
  for await (const piece of reading(body, details)) {
    if (piece.byteLength === 0) continue;
    size += piece.byteLength;
    if (size > body.size) throw wrongSize(moreThan(body), details);
    if (size < body.size) yield piece;
    else held = piece;
  }
  if (size < body.size) throw wrongSize(lessThan(body, size), details);
  if (held !== undefined) yield held;
}

/** The source, its errors named as such: they must not be taken for a fault of the network. */
async function* reading(body: UploadBody, details: RefusalDetails): AsyncGenerator<Uint8Array> {
  const iterator = open(body, details);
  let finished = false;
  try {
    for (;;) {
      finished = true;
      const next = await nextOf(iterator, details);
      if (next.done === true) return;
      finished = false;
      yield next.value;
    }
  } finally {
    if (!finished) await iterator.return?.();
  }
}

async function nextOf(
  iterator: AsyncIterator<Uint8Array>,
  details: RefusalDetails,
): Promise<IteratorResult<Uint8Array>> {
  try {
    return await iterator.next();
  } catch (cause) {
    throw sourceFailed(cause, details);
  }
}

function open(body: UploadBody, details: RefusalDetails): AsyncIterator<Uint8Array> {
  try {
    return body.open()[Symbol.asyncIterator]();
  } catch (cause) {
    throw sourceFailed(cause, details);
  }
}

function sourceFailed(cause: unknown, details: RefusalDetails): Refusal {
  return new Refusal('aborted', 'the bytes to upload could not be read', { ...details, cause });
}

function moreThan({ size }: UploadBody): string {
  return `more than the announced ${size} bytes`;
}

function lessThan({ size }: UploadBody, found: number): string {
  return `${found} of the announced ${size} bytes`;
}

function wrongSize(found: string, details: RefusalDetails): Refusal {
  const cause = new Error(`the source yielded ${found}`);
  return new Refusal('aborted', 'the bytes to upload are not as many as announced', { ...details, cause });
}
