/** What did a process use? As Linux tells in /proc. */
import { readFile, writeFile } from 'node:fs/promises';

/** Linux has counted in hundredths of a second, as far as programs are told, on every machine for decades. */
const TICKS_PER_SECOND = 100;
/** What proc(5) calls resetting the peak resident set size. */
const RESET_PEAK = '5';

/** Seconds of processor time since the process began. */
export async function processorSeconds(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The program's name, in parentheses, may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [fields[11], fields[12]].map(Number);
  return ((user ?? 0) + (system ?? 0)) / TICKS_PER_SECOND;
}

/** From now on `peakBytes` tells of what comes. */
export async function resetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, RESET_PEAK);
}

/** The most memory that was resident. */
export async function peakBytes(pid: number): Promise<number> {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
