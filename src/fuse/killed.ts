/** Has a signal put an end to a program, so that nobody will hear what its last call comes to? As far as can be seen. */
import { readFile } from 'node:fs/promises';

/** Of proc_pid_stat(5), counted from what follows the program's name, which may itself hold spaces and parentheses. */
const FLAGS = 6;
const PENDING_SIGNALS = 28;
/** PF_SIGNALED of the kernel: it is on its way out, and closes what it has open. */
const ENDED_BY_SIGNAL = 0x400;
/** Every signal that ends a program without a core dump becomes SIGKILL for each of its threads, and waits until the call is over. */
const SIGKILL_PENDING = 1 << 8;

/** Of the process of `thread`. False where nobody can tell. Never rejects. */
export async function isKilled(
  thread: number,
  text: (file: string) => Promise<string> = (file) => readFile(file, 'utf8'),
): Promise<boolean> {
  let line: string;
  try {
    line = await text(`/proc/${String(thread)}/stat`);
  } catch {
    // It is gone, or this system keeps it from us.
    return false;
  }
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const flags = Number(fields[FLAGS]);
  const pending = Number(fields[PENDING_SIGNALS]);
  return (flags & ENDED_BY_SIGNAL) !== 0 || (pending & SIGKILL_PENDING) !== 0;
}
