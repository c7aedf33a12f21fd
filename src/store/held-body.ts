/** How are bytes handed on of which only the end tells whether they are what their answer says? When all of them are here. */
import { byteLength, type ByteRange } from '../base/byte-range.ts';
import type { Download } from '../service/object-service.ts';

/** Bytes of a part when parts are known to be what they say: no more than reads of a mount ask for, and have room for, at once. */
const MOST_OF_PROVEN = 8 * 1024 * 1024;
/** Bytes as long as nobody knows: each may be the whole file, of which so much is fetched for nothing. */
const MOST_OF_UNKNOWN = 1024 * 1024;
/** Bytes: less is not worth an answer, however often bodies are cut. */
const LEAST = 128 * 1024;
/** What is asked for after a cut is so much less: nothing of a held body that is cut can be used. */
const LESS_AFTER_CUT = 4;

/** Bytes that may be asked for at once when they are to be held, after so many cuts in a row. */
export function mostHeld(areProven: boolean, cuts: number): number {
  return Math.max(LEAST, (areProven ? MOST_OF_PROVEN : MOST_OF_UNKNOWN) / LESS_AFTER_CUT ** cuts);
}

/**
 * What the body of `download` brings, once it has come to its end; `arrived` hears of each piece before. What it throws ends the
 * reading. In one piece: kept one by one, those that come in tiny ones would take many times their own memory.
 */
export async function* onceComplete(
  { body, range }: Pick<Download, 'body' | 'range'>,
  arrived: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const held = new Uint8Array(byteLength(range));
  let length = 0;
  for await (const piece of body) {
    held.set(piece, length);
    length += piece.length;
    arrived(piece.length);
  }
  yield held;
}

/** The first `most` bytes of `range`, or all of them. */
export function beginningOf({ start, end }: ByteRange, most: number): ByteRange {
  return { start, end: Math.min(end, start + most) };
}
