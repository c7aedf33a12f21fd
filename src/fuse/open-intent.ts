/** What does a program want that opens a file with these flags of open(2)? */
import { constants } from 'node:fs';
import type { OpenIntent } from '../filesystem/operations.ts';

export function openIntent(flags: number): OpenIntent {
  const access = flags & (constants.O_RDONLY | constants.O_WRONLY | constants.O_RDWR);
  return {
    read: access !== constants.O_WRONLY,
    write: access !== constants.O_RDONLY,
    truncate: (flags & constants.O_TRUNC) !== 0,
  };
}
