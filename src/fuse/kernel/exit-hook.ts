/**
 * How does a process end whose threads wait for the kernel? Node joins its threads on process.exit. So they are let go, and programs
 * that wait for us as well: the thread that tells the kernel something may wait for those. Whoever may also aborts the connection,
 * which helps whatever the kernel does. What is mounted then answers ENOTCONN, as when we had died.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describeError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { SYSTEM_PATH } from '../run-program.ts';
import type { Device } from './device.ts';

/** Where the kernel offers the connections; not mounted in most containers. */
const CONNECTIONS = '/sys/fs/fuse/connections';

/** Calls `abandon` and ends the device's connection, `number`, when this process exits, until the returned function is called. */
export function endOnExit(
  number: string,
  device: Pick<Device, 'abandon' | 'isConnected'>,
  log: Log,
): () => void {
  const end = (): void => {
    device.abandon();
    // Unmounted before we came to notice: the kernel may have given the number to somebody else's mount.
    if (!device.isConnected()) return;
    try {
      abortConnection(number);
    } catch (error) {
      log.warn('the connection to the kernel could not be aborted', { reason: describeError(error) });
    }
  };
  process.on('exit', end);
  return () => {
    process.off('exit', end);
  };
}

function abortConnection(number: string): void {
  try {
    writeFileSync(path.join(CONNECTIONS, number, 'abort'), '1');
    return;
  } catch {
    // Not mounted there: then for a moment in a directory of our own, which only root may.
    if (process.getuid?.() !== 0) return;
  }
  const folder = mkdtempSync('/tmp/pailfs-connections-');
  try {
    run('mount', ['-i', '-t', 'fusectl', 'fusectl', folder]);
    try {
      writeFileSync(path.join(folder, number, 'abort'), '1');
    } finally {
      run('umount', ['-i', '-l', folder]);
    }
  } finally {
    rmdirSync(folder);
  }
}

/** Synchronous: nothing else runs any more when a process exits. */
function run(program: string, parameters: readonly string[]): void {
  const { status, error } = spawnSync(program, parameters, {
    cwd: '/',
    env: { PATH: SYSTEM_PATH, LC_ALL: 'C' },
  });
  if (status !== 0) throw new Error(`${program} failed`, { cause: error });
}
