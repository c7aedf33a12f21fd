/** Is this process still the one that was meant? A number alone is not enough: the kernel gives it out again. */
import { readFile } from 'node:fs/promises';
import { systemErrorCode } from '../../base/errors.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** Ticks since boot as Linux counts them; null where that is not known (macOS). */
  readonly startTime: string | null;
}

export async function ownIdentity(): Promise<ProcessIdentity> {
  return { pid: process.pid, startTime: (await startTimeOf(process.pid)) ?? null };
}

/** Whether that very process still runs; a zombie does not. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  if (identity.startTime !== null) return (await startTimeOf(identity.pid)) === identity.startTime;
  try {
    process.kill(identity.pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}

/** proc(5): field 3 is the state, field 22 the start time; field 2, the name, may hold spaces and parentheses. */
async function startTimeOf(pid: number): Promise<string | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(systemErrorCode(error) ?? '')) return undefined;
    throw error;
  }
}
