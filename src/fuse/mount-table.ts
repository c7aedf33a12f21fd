/** What is mounted where? The kernel's own table, read without touching any of the mounted file systems. */
import { readFile } from 'node:fs/promises';
import { runProgram } from './run-program.ts';

/** One mounted file system. */
export interface MountEntry {
  readonly mountpoint: string;
  /** e.g. `ext4`, `fuse.pailfs` */
  readonly type: string;
  readonly source: string;
  /** What of its file system is seen there: `/` for the whole, else the folder that a bind mount shows. */
  readonly root: string;
  /** Who mounted it, of a FUSE file system; undefined where the platform does not tell. */
  readonly owner: number | undefined;
  /** `major:minor` as in /sys/class/bdi; empty where the platform does not tell. */
  readonly device: string;
}

/** Everything mounted in this process's namespace, oldest first. */
export async function readMountTable(): Promise<readonly MountEntry[]> {
  if (process.platform === 'linux') return parseMountInfo(await readFile('/proc/self/mountinfo', 'utf8'));
  const { output } = await runProgram('mount', []);
  return parseMountOutput(output);
}

/** The topmost file system mounted exactly at `path` (canonical), if any. */
export async function findMount(path: string): Promise<MountEntry | undefined> {
  const table = await readMountTable();
  return table.findLast((entry) => entry.mountpoint === path);
}

/**
 * Where the whole file system `device` is seen, which was mounted at `mountpoint`: there if it still is, else where the renaming of a
 * directory above has taken it. Undefined when it is nowhere, or when the platform does not tell.
 */
export function presentMountpoint(
  { mountpoint, device }: Pick<MountEntry, 'mountpoint' | 'device'>,
  table: readonly MountEntry[],
): string | undefined {
  if (device === '') return undefined;
  const places = table.filter((entry) => entry.device === device && entry.root === '/');
  return (places.find((entry) => entry.mountpoint === mountpoint) ?? places[0])?.mountpoint;
}

/** Reads the text of /proc/self/mountinfo (proc(5)); a line of another shape is left out. */
export function parseMountInfo(text: string): readonly MountEntry[] {
  return text.split('\n').flatMap((line) => {
    const fields = line.split(' ');
    // Any number of optional fields ends with a single hyphen.
    const separator = fields.indexOf('-', 6);
    const device = fields[2];
    const root = unescapeOctal(fields[3] ?? '');
    const mountpoint = fields[4];
    const type = fields[separator + 1];
    if (separator === -1 || device === undefined || mountpoint === undefined || type === undefined) return [];
    const source = unescapeOctal(fields[separator + 2] ?? '');
    const [, owner] = /(?:^|,)user_id=(\d+)(?:,|$)/.exec(fields[separator + 3] ?? '') ?? [];
    return [
      {
        mountpoint: unescapeOctal(mountpoint),
        type: unescapeOctal(type),
        source,
        root,
        owner: owner === undefined ? undefined : Number(owner),
        device,
      },
    ];
  });
}

/** Reads what macOS's mount(8) prints: `source on /path (type, options)`. */
export function parseMountOutput(text: string): readonly MountEntry[] {
  return text.split('\n').flatMap((line) => {
    const match = /^(.*?) on (.*) \(([^,)]*)/.exec(line);
    const [, source, mountpoint, type] = match ?? [];
    if (source === undefined || mountpoint === undefined || type === undefined) return [];
    return [{ mountpoint, type, source, root: '/', owner: undefined, device: '' }];
  });
}

/** The kernel writes space, tab, newline and backslash as `\040` and so on; the bytes are UTF-8. */
function unescapeOctal(field: string): string {
  if (!field.includes('\\')) return field;
  return field.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}
