/** How is a program run that serves a mount? With a home of its own, and so that nothing is left mounted. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findMount } from '../../src/fuse/mount-table.ts';
import { unmountDirectory } from '../../src/fuse/unmount.ts';
import { run } from '../frame/programs.ts';
import { makeFolder } from '../frame/temporary-folder.ts';
import { enterUndo, isEnding } from '../frame/undoing.ts';
import { ServingProcess } from './serving-process.ts';

export interface ServingProgram {
  readonly program: string;
  /** `mountpoint` exists; `folder` is for the program's own files and is removed in the end. */
  readonly parameters: (places: {
    readonly mountpoint: string;
    readonly folder: string;
  }) => readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** A directory that a program serves. */
export interface ProgramMount {
  readonly path: string;
  /** Of the serving process. */
  readonly pid: number;
  /** Unmounts, waits until the program has ended, and removes what it left. */
  dispose(): Promise<void>;
}

const READY_LIMIT_MS = 20_000;
const READY_PAUSE_MS = 20;

/** Rejects, with what the program said, when it does not mount. */
export async function mountProgram({
  program,
  parameters,
  environment,
}: ServingProgram): Promise<ProgramMount> {
  const own = makeFolder('mount');
  const [mountpoint, folder] = [path.join(own.path, 'mnt'), path.join(own.path, 'files')];
  for (const each of [mountpoint, folder]) mkdirSync(each);
  const server = new ServingProcess(program, parameters({ mountpoint, folder }), {
    ...plainEnvironment(folder),
    ...environment,
  });
  const dispose = enterUndo(async () => {
    await unmount(mountpoint, server);
    await own.remove();
  });
  try {
    await isServed(mountpoint, server);
  } catch (error) {
    await dispose();
    throw new Error(`${program} did not mount: ${server.errors}`, { cause: error });
  }
  return { path: mountpoint, pid: server.pid, dispose };
}

async function isServed(mountpoint: string, server: ServingProcess): Promise<void> {
  const end = performance.now() + READY_LIMIT_MS;
  while ((await findMount(mountpoint)) === undefined) {
    if (server.hasEnded || performance.now() > end) throw new Error('it ended, or its time was up');
    await sleep(READY_PAUSE_MS);
  }
  // In the kernel's table before it answers; no peer lists the bucket for this.
  await run('stat', [mountpoint], READY_LIMIT_MS);
}

async function unmount(mountpoint: string, server: ServingProcess): Promise<void> {
  // What it has not stored yet nobody waits for any more.
  if (isEnding()) server.kill();
  if (!server.hasEnded)
    await unmountDirectory(mountpoint, { lazy: false }).catch(() => unmountLazily(mountpoint));
  await server.ended();
  await unmountLazily(mountpoint);
}

async function unmountLazily(mountpoint: string): Promise<void> {
  while ((await findMount(mountpoint)) !== undefined) await unmountDirectory(mountpoint, { lazy: true });
}

/**
 * What concerns the bench's user (proxies, certificates, settings of mounts in the home directory) is not to concern what is measured, and
 * what mounts write down there is not to stay.
 */
function plainEnvironment(home: string): NodeJS.ProcessEnv {
  const { PATH, TMPDIR } = process.env;
  return { PATH, HOME: home, ...(TMPDIR !== undefined && { TMPDIR }), LC_ALL: 'C' };
}
