/** Does a mount answer? Asked by another process: one that looks at a mount which does not answer waits beyond the reach of SIGKILL. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { Clock } from '../base/clock.ts';

/** `hidden`: it is another user's, who lets nobody in. `unknown`: this machine could not start who looks, which says nothing of the mount. */
export type ProbeResult = 'answers' | 'silent' | 'hidden' | 'unknown';

/** What takes longer is as good as silent to whoever uses it: the answer costs no request. */
const LIMIT_MS = 5000;
/** A busy machine takes its time to start the program that looks. That is no silence of the mount. */
const START_LIMIT_MS = 20_000;
/**
 * Linux gives attributes of a dead mount out of its cache, for as long as they were to be trusted; a statfs it never does. macFUSE answers
 * that by itself, as its sources say: nobody could try it.
 */
const LOOK_FOR_DEAD = process.platform === 'darwin' ? 'lstatSync' : 'statfsSync';
const DENIED = 13;
const DEAD = 107;
const PROGRAM = `
  const fs = require('node:fs');
  const [, mountpoint, call] = process.argv;
  fs.writeSync(1, 'looking');
  try { fs[call](mountpoint); }
  catch ({ code }) {
    const isDead = code === 'ENOTCONN' || code === 'ENXIO';
    process.exit(code === 'EACCES' ? ${String(DENIED)} : isDead ? ${String(DEAD)} : 1);
  }
`;

/** Never rejects because of the mount, and never takes much longer than five seconds from when it looks. */
export async function probeMount(mountpoint: string, clock: Clock): Promise<ProbeResult> {
  const code = await codeOfLook(mountpoint, 'statfsSync', clock);
  if (code === 0) return 'answers';
  if (code === 'not looked') return 'unknown';
  return code === DENIED ? 'hidden' : 'silent';
}

/**
 * As `probeMount`: whether the process of the mount at `mountpoint` is gone. One that does not answer is not known to be, nor is one that
 * nobody could look at.
 */
export async function isDead(mountpoint: string, clock: Clock): Promise<boolean> {
  return (await codeOfLook(mountpoint, LOOK_FOR_DEAD, clock)) === DEAD;
}

/** Null when there is no answer in time. */
async function codeOfLook(
  mountpoint: string,
  call: 'lstatSync' | 'statfsSync',
  clock: Clock,
): Promise<number | 'not looked' | null> {
  const child = await startedLook([mountpoint, call]);
  if (child === undefined) return 'not looked';
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  const over = new AbortController();
  const tooLate = (limit: number): Promise<null> => clock.sleep(limit, over.signal).then(nothing, nothing);
  try {
    await Promise.race([once(child.stdout, 'data', over), ended, tooLate(START_LIMIT_MS)]);
    return await Promise.race([ended, tooLate(LIMIT_MS)]);
  } finally {
    over.abort();
    // It may not be able to die: nobody waits for it.
    child.kill('SIGKILL');
    child.stdout.destroy();
    child.unref();
  }
}

type Look = ChildProcessByStdio<null, Readable, null>;

/** Undefined when it cannot be started: too many processes or files, no memory, or its program was replaced. */
function startedLook(words: readonly string[]): Promise<Look | undefined> {
  return new Promise((resolve) => {
    try {
      const child = spawn(process.execPath, ['-e', PROGRAM, ...words], {
        cwd: '/',
        env: {},
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      child.once('spawn', () => {
        resolve(child);
      });
      // Stays: who cannot be killed says so, too.
      child.on('error', () => {
        resolve(undefined);
      });
    } catch {
      resolve(undefined);
    }
  });
}

function nothing(): null {
  return null;
}
