/**
 * Which number does this platform give to an error's name? The one table from `ErrnoName` to errno; from a service refusal
 * to an `ErrnoName` is filesystem/'s table.
 */
import { constants } from 'node:os';
import type { ErrnoName } from '../filesystem/errors.ts';

/** macOS has no ENODATA for extended attributes: it says ENOATTR, which Node does not list. */
const DARWIN_ENOATTR = 93;

/** The positive errno of `name` on `platform`. The names are all known to Node; one that is not is EIO. */
export function errnoNumber(name: ErrnoName, platform: NodeJS.Platform = process.platform): number {
  if (platform === 'darwin' && name === 'ENODATA') return DARWIN_ENOATTR;
  const numbers: Readonly<Partial<Record<string, number>>> = constants.errno;
  return numbers[name] ?? constants.errno.EIO;
}
