/** Is this a path that the file system can take at all? */
import { MAX_NAME_BYTES } from '../../store/keys.ts';
import { FsError } from '../errors.ts';

/** Throws for names that the kernel would not have let through, and names that no key can carry byte by byte. */
export function checkPath(path: string): void {
  if (path.includes('\0')) throw new FsError('EINVAL', path, 'a name cannot hold NUL');
  if (/\p{Surrogate}/u.test(path)) throw new FsError('EILSEQ', path, 'the name is not valid Unicode');
  // A character has at most three bytes a UTF-16 unit: most paths need no further look.
  if (path.length * 3 <= MAX_NAME_BYTES) return;
  for (const name of path.split('/')) {
    if (Buffer.byteLength(name) > MAX_NAME_BYTES)
      throw new FsError('ENAMETOOLONG', path, 'a name is too long');
  }
}
