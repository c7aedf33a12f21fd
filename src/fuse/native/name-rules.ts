/** Which paths from libfuse are not to be believed or not to be served? */
import path from 'node:path';
import { FsError } from '../../filesystem/errors.ts';
import { checkPath } from '../../filesystem/names/paths.ts';

/** What the addon makes of bytes that are not UTF-8: two different names would become one. */
const REPLACEMENT = '\u{FFFD}';
/** libfuse renames a file that is deleted while open to such a name, and deletes that one after the last close. */
const HIDDEN_NAME = /\/\.fuse_hidden[0-9a-f]{16}$/;

/** Throws EILSEQ or ENAMETOOLONG for a path with a component that the mount cannot have. */
export function refuseImpossibleName(filePath: string): void {
  if (filePath.includes(REPLACEMENT)) throw new FsError('EILSEQ', filePath, 'a name is not UTF-8');
  // Also for what is answered without the file system.
  checkPath(filePath);
}

/** Whether libfuse would use this path for a file that was deleted while open. */
export function isHiddenPath(filePath: string): boolean {
  return HIDDEN_NAME.test(filePath);
}

/** Throws EPERM when a program wants to make something under a name that libfuse keeps for itself. */
export function refuseReservedName(filePath: string): void {
  if (isHiddenPath(filePath)) throw new FsError('EPERM', filePath, 'the name is reserved by FUSE');
}

/** Whether a name of a listing can be asked for again through this driver. */
export function isListable(name: string): boolean {
  return !name.includes(REPLACEMENT) && !isHiddenPath(`/${name}`);
}

/** Whether two paths name entries of the same folder. */
export function areSiblings(one: string, other: string): boolean {
  return path.posix.dirname(one) === path.posix.dirname(other);
}
