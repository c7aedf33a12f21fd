/** How far ahead of a reading program may the kernel ask? */
import { writeFile } from 'node:fs/promises';
import { describeError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { findMount } from './mount-table.ts';

/** 16 requests of 128 KiB in flight instead of 2: eight times the speed of one reader when a request takes 100 ms. */
const READ_AHEAD_KIB = 1024;

/** Raises the kernel's window of the mount at `mountpoint`; only root may, so a failure is but a line in the log. */
export async function raiseReadAhead(mountpoint: string, log: Log): Promise<void> {
  if (process.platform !== 'linux') return;
  if (process.getuid?.() !== 0) {
    log.debug('the read-ahead window stays as it is: only root may widen it');
    return;
  }
  try {
    const mount = await findMount(mountpoint);
    if (mount === undefined) return;
    await writeFile(`/sys/class/bdi/${mount.device}/read_ahead_kb`, `${READ_AHEAD_KIB}\n`);
  } catch (error) {
    log.debug('the read-ahead window stays as it is', { reason: describeError(error) });
  }
}
