/** How are bytes handed on of which only the end tells whether they are what their answer says? When all of them are here. */
import type { Download } from '../service/object-service.ts';

/** Bytes: they count for nothing in the memory of reads, and a whole file may be on its way. */
export const MOST_HELD = 1024 * 1024;

/** What `body` brings, once it has come to its end; `arrived` hears of each piece before. What it throws ends the reading. */
export async function* onceComplete(
  body: Download['body'],
  arrived: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) {
    pieces.push(Uint8Array.from(piece));
    arrived(piece.length);
  }
  yield* pieces;
}
