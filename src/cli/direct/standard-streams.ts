/**
 * What comes on stdin, and where does stdout go? Of a block device, or a directory, Node's own streams know nothing: one has no
 * bytes, the other drops them, and neither tells.
 */
import { createReadStream, createWriteStream, fstatSync, statSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import { CommandError, exitCodes } from '../command-error.ts';

/** Throws a `CommandError` where nobody has given it anything: what is not there is no empty file. */
export function openStdin(): NodeJS.ReadableStream {
  if (isClosedStdin()) {
    throw new CommandError(exitCodes.failed, 'stdin is closed: "< /dev/null" gives an empty file');
  }
  return isForNode(0) ? process.stdin : createReadStream('', { fd: 0, autoClose: false });
}

export function openStdout(): NodeJS.WritableStream {
  return isForNode(1) ? process.stdout : createWriteStream('', { fd: 1, autoClose: false });
}

function isForNode(descriptor: number): boolean {
  const found = fstatSync(descriptor);
  return found.isFile() || found.isFIFO() || found.isSocket() || found.isCharacterDevice();
}

/**
 * Node opens /dev/null where a program was started without stdin, but to write as well: a shell's `< /dev/null` does not. (Whoever gives it
 * so himself, as some languages do, is refused, too: better than to store nothing in place of what is there.)
 */
function isClosedStdin(): boolean {
  const found = fstatSync(0);
  if (!found.isCharacterDevice() || found.rdev !== statSync(devNull).rdev) return false;
  try {
    writeSync(0, '');
    return true;
  } catch {
    return false;
  }
}
