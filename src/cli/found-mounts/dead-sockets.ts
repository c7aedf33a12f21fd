/** What becomes of the control sockets of processes that were killed? Whoever looks for mounts clears them away. */
import { rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { systemErrorCode } from '../../base/errors.ts';
import { controlSocketsIn } from './mount-record.ts';
import { isRunning } from './process-identity.ts';

/** Removes those that nobody listens at any more. Rejects with the disk's error. */
export async function removeDeadSockets(directories: readonly string[]): Promise<void> {
  for (const { path, pid } of await controlSocketsIn(directories)) {
    // A process has the name before it listens. And in a container another process may have the number of a dead one.
    if ((await isRunning({ pid, startTime: null })) || !(await isRefused(path))) continue;
    await rm(path, { force: true });
  }
}

function isRefused(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = createConnection(path);
    connection.on('connect', () => {
      connection.destroy();
      resolve(false);
    });
    // Any other error says nothing about who listens.
    connection.on('error', (error) => {
      resolve(systemErrorCode(error) === 'ECONNREFUSED');
    });
  });
}
