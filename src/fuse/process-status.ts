/**
 * What does the system tell of a thread and its process without making us wait for it?
 *
 * While a process executes another program, newer kernels (seen with 6.18) keep its proc(5) files `stat`, `fd`, `maps` and others from all who
 * ask, until what it closes by that is closed. If that is a file of ours it waits for us: a thread of Node's pool would wait with it,
 * and four such threads are all that could have stored the file. `status` is always answered.
 */
import { readFile } from 'node:fs/promises';

/** SIGKILL is signal 9, the lowest bit signal 1. */
const SIGKILL = 1n << 8n;

export interface ProcessStatus {
  /** The number of its process, by which several threads are known as one program's. */
  readonly process: number;
  /** Every signal that ends a program without a core dump becomes SIGKILL for each of its threads, and waits until its call is over. */
  readonly isKillPending: boolean;
  /** Not once it is on its way out, when it closes what it has open. */
  readonly hasMemory: boolean;
}

/** Undefined where nobody can tell: the thread is gone, or this system keeps it from us. Never rejects. */
export async function statusOf(
  thread: number,
  text: (file: string) => Promise<string> = (file) => readFile(file, 'utf8'),
): Promise<ProcessStatus | undefined> {
  let status: string;
  try {
    status = await text(`/proc/${String(thread)}/status`);
  } catch {
    return undefined;
  }
  const field = (name: string): string | undefined =>
    new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1];
  const process = field('Tgid');
  if (process === undefined) return undefined;
  const pending = BigInt(`0x${field('SigPnd') ?? '0'}`);
  return {
    process: Number(process),
    isKillPending: (pending & SIGKILL) !== 0n,
    hasMemory: field('VmSize') !== undefined,
  };
}
