/** What does a draft say to whoever asks for bytes that it cannot take, has lost, or does not trust any more? */
import { CONTENT_START } from './draft-header.ts';

/** Beyond it, numbers are rounded: Node would take the position for none, and write somewhere else. */
const LARGEST_SIZE = Number.MAX_SAFE_INTEGER - CONTENT_START;

/** Throws what the disk would say of a file of `size` bytes. */
export function refuseSize(size: number): void {
  if (size > LARGEST_SIZE) throw withCode('EFBIG', 'no file can be so large');
}

/** Bytes that a program was told are taken are not there. */
export function lostBytes(): Error {
  return withCode('EIO', 'bytes that were written did not get onto the local disk');
}

/** `code`: why the draft is poisoned. */
export function writeFailedBefore(code: string): Error {
  return withCode(code, 'an earlier write to this draft failed');
}

function withCode(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
