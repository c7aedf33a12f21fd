/** Which processes have a directory as their home, however they were started? So a test ends what it started, and nothing else. */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 20;
/** Time for a program to end by itself. */
const POLITE_MS = 2000;

export async function processesOfHome(home: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const environments = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')),
  );
  return pids.filter((_, index) => environments[index]?.split('\0').includes(`HOME=${home}`));
}

/** Resolves when they are gone. */
export async function endProcessesOf(home: string): Promise<void> {
  const polite = Date.now() + POLITE_MS;
  for (let pids = await processesOfHome(home); pids.length > 0; pids = await processesOfHome(home)) {
    for (const pid of pids) signal(pid, Date.now() < polite ? 'SIGTERM' : 'SIGKILL');
    await pause(POLL_MS);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // Gone by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
