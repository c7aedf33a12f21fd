/** How is a program run that serves a mount? It dies with the bench or when its time is up, and nothing is left mounted. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findMount } from '../../src/fuse/mount-table.ts';
import { unmountDirectory } from '../../src/fuse/unmount.ts';
import { run } from '../frame/programs.ts';

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

const LIFETIME_MS = 3_600_000;
const READY_LIMIT_MS = 20_000;
const READY_PAUSE_MS = 20;
/** What is not on the store by then was never going to be measured. */
const END_LIMIT_MS = 60_000;

/** Those that are not disposed of yet: an interrupted bench clears them away. */
const alive = new Set<ProgramMount>();

export async function disposeOfMounts(): Promise<void> {
  await Promise.all([...alive].map((mount) => mount.dispose()));
}

/** Rejects, with what the program said, when it does not mount. */
export async function mountProgram({
  program,
  parameters,
  environment,
}: ServingProgram): Promise<ProgramMount> {
  const own = await mkdtemp(path.join(tmpdir(), 'pailfs-bench-'));
  const [mountpoint, folder] = [path.join(own, 'mnt'), path.join(own, 'files')];
  await Promise.all([mkdir(mountpoint), mkdir(folder)]);
  // setpriv becomes the program, so the process is the one that serves.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...parameters({ mountpoint, folder })], {
    cwd: '/',
    env: { ...plainEnvironment(), ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: LIFETIME_MS,
    killSignal: 'SIGKILL',
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-10_000)));
  const exit = once(child, 'exit');
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  let disposal: Promise<void> | undefined;
  const mount: ProgramMount = {
    path: mountpoint,
    pid: child.pid ?? 0,
    dispose: () => (disposal ??= dispose()),
  };
  alive.add(mount);
  try {
    const end = performance.now() + READY_LIMIT_MS;
    while ((await findMount(mountpoint)) === undefined) {
      if (hasEnded() || performance.now() > end) throw new Error('it ended, or its time was up');
      await sleep(READY_PAUSE_MS);
    }
    // In the kernel's table before it answers; no peer lists the bucket for this.
    await run('stat', [mountpoint], READY_LIMIT_MS);
    return mount;
  } catch (error) {
    await mount.dispose();
    throw new Error(`${program} did not mount: ${errors.trim()}`, { cause: error });
  }

  async function dispose(): Promise<void> {
    if (!hasEnded())
      await unmountDirectory(mountpoint, { lazy: false }).catch(() => unmountLazily(mountpoint));
    // Who waits for nothing but this limit has ended: it would keep the bench alive after its last line.
    await Promise.race([exit, sleep(END_LIMIT_MS, undefined, { ref: false })]);
    child.kill('SIGKILL');
    await exit;
    await unmountLazily(mountpoint);
    await rm(own, { recursive: true, force: true });
    alive.delete(mount);
  }
}

/** Settings that concern the bench's user, such as proxies and certificates, are not to concern what is measured. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR !== undefined && { TMPDIR }), LC_ALL: 'C' };
}

async function unmountLazily(mountpoint: string): Promise<void> {
  while ((await findMount(mountpoint)) !== undefined) await unmountDirectory(mountpoint, { lazy: true });
}
