/**
 * Where can the process be asked that serves a mount? At a socket beside its record. That of a process that was killed stays: whoever looks
 * for mounts clears it away.
 */
import { rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { basename, join } from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';
import type { MountRecord } from './mount-record.ts';
import { isRunning } from './process-identity.ts';
import { hashOf, namesIn } from './record-directories.ts';

/**
 * Where the process `pid` answers for `mountpoint`. Well below the 104 bytes that every system allows for a socket, since these
 * directories are short.
 */
export function controlSocketPath(directory: string, mountpoint: string, pid: number): string {
  return join(directory, `${hashOf(mountpoint)}.${pid}.sock`);
}

interface ControlSocket {
  readonly path: string;
  /** Of the process that made it. */
  readonly pid: number;
}

/** All that are there, whether anything is recorded of their mounts or not. */
async function controlSocketsIn(directories: readonly string[]): Promise<readonly ControlSocket[]> {
  const sockets: ControlSocket[] = [];
  for (const directory of directories) {
    for (const name of await namesIn(directory)) {
      const [, pid] = /^[0-9a-f]{32}\.(\d+)\.sock$/.exec(name) ?? [];
      if (pid !== undefined) sockets.push({ path: join(directory, name), pid: Number(pid) });
    }
  }
  return sockets;
}

/** The socket of the process that `record` names; undefined when it has none. */
export async function findControlSocket(
  directories: readonly string[],
  { mountpoint, recordedAt = mountpoint, process }: MountRecord,
): Promise<string | undefined> {
  for (const directory of directories) {
    const path = controlSocketPath(directory, recordedAt, process.pid);
    if ((await namesIn(directory)).includes(basename(path))) return path;
  }
  return undefined;
}

/** Removes what is left of the control socket of a process that is gone. */
export async function removeDeadSocket(directories: readonly string[], record: MountRecord): Promise<void> {
  const socket = await findControlSocket(directories, record);
  if (socket !== undefined) await rm(socket, { force: true });
}

/** Removes the sockets that nobody listens at any more: of processes that were killed. Rejects with the disk's error. */
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
