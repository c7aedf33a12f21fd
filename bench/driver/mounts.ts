/** How does each subject get the tree mounted? Always freshly, in a process of its own that dies when its time is up. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLog } from '../../src/base/log.ts';
import { findMount } from '../../src/fuse/mount-table.ts';
import { raiseReadAhead } from '../../src/fuse/read-ahead.ts';
import { unmountDirectory } from '../../src/fuse/unmount.ts';
import { mountForTest } from '../../test/support/mounted.ts';
import type { MemoryTreeOptions } from './memory-tree.ts';
import { BIG_BYTES, SMALL_FILES } from './tree.ts';

export interface MountedTree {
  readonly path: string;
  /** Nothing is left mounted or running. */
  dispose(): Promise<void>;
}

const LIFETIME_MS = 300_000;
const READY_LIMIT_MS = 10_000;
const READY_PAUSE_MS = 20;
const MODULE = new URL('./memory-tree.ts', import.meta.url);

export async function mountByDriver(
  driver: 'kernel' | 'native',
  options: MemoryTreeOptions,
): Promise<MountedTree> {
  // libfuse writes a line for each thread that the native driver keeps it from making: hundreds of thousands.
  const isMute = driver === 'native';
  const mounted = await mountForTest({ module: MODULE, options, driver, lifetime: LIFETIME_MS, isMute });
  return { path: mounted.path, dispose: () => mounted.dispose() };
}

/** `program` is memory-tree.c, compiled. */
export async function mountByC(program: string, { validFor }: MemoryTreeOptions): Promise<MountedTree> {
  const folder = await mkdtemp(path.join(tmpdir(), 'pailfs-bench-mount-'));
  const tree = [SMALL_FILES, BIG_BYTES, LIFETIME_MS / 1000].map(String);
  const options = 'default_permissions,fsname=pailfs-bench,subtype=pailfs';
  const server = spawn(program, [...tree, '-f', '-o', options, folder], {
    cwd: '/',
    env: { ...process.env, VALID_SECONDS: String(validFor / 1000) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const exit = once(server, 'exit');
  const dispose = async (): Promise<void> => {
    if ((await findMount(folder)) !== undefined) await unmountDirectory(folder, { lazy: true });
    server.kill('SIGKILL');
    await exit;
    await rmdir(folder);
  };
  try {
    await mounted(folder);
    await raiseReadAhead(folder, silentLog);
    return { path: folder, dispose };
  } catch (error) {
    await dispose();
    throw new Error(`the C program did not mount: ${errors.trim()}`, { cause: error });
  }
}

async function mounted(folder: string): Promise<void> {
  const end = performance.now() + READY_LIMIT_MS;
  while ((await findMount(folder)) === undefined) {
    if (performance.now() > end) throw new Error('its time is up');
    await sleep(READY_PAUSE_MS);
  }
}
