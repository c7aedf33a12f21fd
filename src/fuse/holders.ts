/** Which programs have something of a mount open? As far as can be seen: what may not be read is left out. */
import { readFile, readdir, readlink } from 'node:fs/promises';

export interface Holder {
  readonly pid: number;
  readonly program: string;
}

/** Programs with a file open, mapped or as their directory at or below `mountpoint`; empty where /proc does not exist. */
export async function findHolders(mountpoint: string): Promise<readonly Holder[]> {
  const processes = (await listOrNothing('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    processes.map(async (name): Promise<readonly Holder[]> => {
      if (!(await holds(`/proc/${name}`, mountpoint))) return [];
      const program = (await textOrNothing(`/proc/${name}/comm`)).trim();
      return [{ pid: Number(name), program }];
    }),
  );
  return found.flat();
}

/** Whether a descriptor of the process that `thread` belongs to leads to `file`, a path without links. */
export async function hasOpen(thread: number, file: string): Promise<boolean> {
  const folder = `/proc/${String(thread)}/fd`;
  const descriptors = await listOrNothing(folder);
  const targets = await Promise.all(descriptors.map((name) => targetOrNothing(`${folder}/${name}`)));
  return targets.includes(file);
}

async function holds(processFolder: string, mountpoint: string): Promise<boolean> {
  const descriptors = await listOrNothing(`${processFolder}/fd`);
  const links = ['cwd', 'root', 'exe', ...descriptors.map((name) => `fd/${name}`)];
  const targets = await Promise.all(links.map((link) => targetOrNothing(`${processFolder}/${link}`)));
  if (targets.some((target) => target === mountpoint || target.startsWith(`${mountpoint}/`))) return true;
  // A mapping outlives its descriptor.
  return (await textOrNothing(`${processFolder}/maps`)).includes(` ${mountpoint}/`);
}

// A process may end or belong to somebody else while we look: neither says anything about the mount.
const listOrNothing = (path: string): Promise<string[]> => readdir(path).catch(() => []);
const targetOrNothing = (path: string): Promise<string> => readlink(path).catch(() => '');
const textOrNothing = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
