/** What does an upload yield to somebody who says of each piece, once the next one is there, that it has left? */
import type { UploadBody } from '../../src/service/object-service.ts';

export interface Sent {
  readonly content: Buffer;
  /** Bytes of all memory in which it has lain. */
  readonly memory: number;
}

/** Rejects as a reading of `upload`. */
export async function sendAll(upload: UploadBody): Promise<Sent> {
  const copies: Uint8Array[] = [];
  const memories = new Set<ArrayBufferLike>();
  let before: Uint8Array | undefined;
  for await (const piece of upload.open()) {
    copies.push(Uint8Array.from(piece));
    memories.add(piece.buffer);
    if (before !== undefined) upload.giveBack?.(before);
    before = piece;
  }
  const memory = [...memories].reduce((sum, { byteLength }) => sum + byteLength, 0);
  return { content: Buffer.concat(copies), memory };
}
