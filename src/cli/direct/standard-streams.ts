/**
 * What comes on stdin, and where does stdout go? Of a block device, or a directory, Node's own streams know nothing: one has no
 * bytes, the other drops them, and neither tells.
 */
import { createReadStream, createWriteStream, fstatSync } from 'node:fs';

export function openStdin(): NodeJS.ReadableStream {
  return isForNode(0) ? process.stdin : createReadStream('', { fd: 0, autoClose: false });
}

export function openStdout(): NodeJS.WritableStream {
  return isForNode(1) ? process.stdout : createWriteStream('', { fd: 1, autoClose: false });
}

function isForNode(descriptor: number): boolean {
  const found = fstatSync(descriptor);
  return found.isFile() || found.isFIFO() || found.isSocket() || found.isCharacterDevice();
}
