/**
 * Who still sees a file system that is unmounted here? Processes with a mount namespace of their own, as containers and sandboxes have: that is a
 * copy of the table of mounts, made when it began, and what is unmounted outside stays in it.
 */
import { readFile, readdir } from 'node:fs/promises';
import type { ProcessFiles } from './holders.ts';
import { parseMountInfo } from './mount-table.ts';

/** One namespace that has it. */
export interface MountedElsewhere {
  /** Of one process that is in it: the lowest that is seen from here, mostly the first of a container. */
  readonly pid: number;
  readonly program: string;
  /** As that process names it. */
  readonly mountpoint: string;
}

const files: Pick<ProcessFiles, 'list' | 'text'> = { list: readdir, text: (file) => readFile(file, 'utf8') };

/** Where the file system `device` (`major:minor`) is mounted that this process does not see; empty where /proc does not exist. */
export async function mountedElsewhere(
  device: string,
  { list, text }: Pick<ProcessFiles, 'list' | 'text'> = files,
): Promise<readonly MountedElsewhere[]> {
  // A process may end while we look, or be hidden: neither says anything about the mount.
  const textOrNothing = (path: string): Promise<string> => text(path).catch(() => '');
  const pids = (await list('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const seen = new Set([await textOrNothing('/proc/self/mountinfo')]);
  const found: MountedElsewhere[] = [];
  for (const pid of pids.toSorted((one, other) => one - other)) {
    const table = await textOrNothing(`/proc/${String(pid)}/mountinfo`);
    // The same text: the same namespace.
    if (seen.has(table)) continue;
    seen.add(table);
    const mount = parseMountInfo(table).find((entry) => entry.device === device);
    if (mount === undefined) continue;
    const program = (await textOrNothing(`/proc/${String(pid)}/comm`)).trim();
    found.push({ pid, program, mountpoint: mount.mountpoint });
  }
  return found;
}
