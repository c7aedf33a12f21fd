/** Which fields does a small JSON body have? */
import type { IncomingMessage } from 'node:http';

/** Far more than any document of §4 needs; whoever sends more is not let fill the memory. */
const MOST_BYTES = 1024 * 1024;

/** The body is no JSON object, or too long. */
export class BadBodyError extends Error {
  override readonly name = 'BadBodyError';
}

/** Rejects with a `BadBodyError` when it is no JSON object. */
export async function readFields(request: IncomingMessage): Promise<Record<string, unknown>> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MOST_BYTES) throw new BadBodyError('the body is too long');
    pieces.push(piece);
  }
  try {
    const fields: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces)),
    );
    if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) return { ...fields };
  } catch (error) {
    throw new BadBodyError('the body is not JSON', { cause: error });
  }
  throw new BadBodyError('the body is not a JSON object');
}
