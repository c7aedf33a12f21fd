/** Has a signal put an end to a program, so that nobody will hear what its last call comes to? As far as can be seen. */
import { readFile } from 'node:fs/promises';
import { statusOf } from './process-status.ts';

/** Of proc_pid_stat(5), counted from what follows the program's name, which may itself hold spaces and parentheses. */
const FLAGS = 6;
/** PF_SIGNALED of the kernel: it is on its way out, and closes what it has open. */
const ENDED_BY_SIGNAL = 0x400;

/** Of the process of `thread`. False where nobody can tell. Never rejects, and waits for nothing that waits for us. */
export async function isKilled(
  thread: number,
  text: (file: string) => Promise<string> = (file) => readFile(file, 'utf8'),
): Promise<boolean> {
  const status = await statusOf(thread, text);
  if (status === undefined) return false;
  // Who has memory may be executing a program, and cannot be looked at further; who is on its way out has none left.
  if (status.isKillPending || status.hasMemory) return status.isKillPending;
  try {
    const line = await text(`/proc/${String(thread)}/stat`);
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[FLAGS]) & ENDED_BY_SIGNAL) !== 0;
  } catch {
    // It is gone.
    return false;
  }
}
