/** Does a mount answer? Asked by another process: one that looks at a mount which does not answer waits beyond the reach of SIGKILL. */
import { spawn } from 'node:child_process';
import type { Clock } from '../base/clock.ts';

/** `hidden`: it is another user's, who lets nobody in. */
export type ProbeResult = 'answers' | 'silent' | 'hidden';

/** What takes longer is as good as silent to whoever uses it: the answer costs no request. */
const LIMIT_MS = 5000;
const DENIED = 13;
const PROGRAM = `
  try { require('node:fs').statfsSync(process.argv[1]); }
  catch (error) { process.exit(error.code === 'EACCES' ? ${String(DENIED)} : 1); }
`;

/** Never rejects because of the mount, and never takes much longer than five seconds. */
export async function probeMount(mountpoint: string, clock: Clock): Promise<ProbeResult> {
  const child = spawn(process.execPath, ['-e', PROGRAM, mountpoint], { cwd: '/', env: {}, stdio: 'ignore' });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  const timeOver = new AbortController();
  try {
    const code = await Promise.race([ended, tooLate(clock, timeOver.signal)]);
    if (code === 0) return 'answers';
    return code === DENIED ? 'hidden' : 'silent';
  } finally {
    timeOver.abort();
    // It may not be able to die: nobody waits for it.
    child.kill('SIGKILL');
    child.unref();
  }
}

async function tooLate(clock: Clock, signal: AbortSignal): Promise<null> {
  await clock.sleep(LIMIT_MS, signal).catch(() => undefined);
  return null;
}
