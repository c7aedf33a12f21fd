/**
 * Into which mount of pailfs does a path lead, through whatever symbolic links? Found without a look at anything in one: who looks waits
 * for a process that is stopped, or hangs, and cannot be told to stop waiting.
 */
import { readlink } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';
import type { MountEntry } from '../../fuse/mount-table.ts';
import { isOurType } from '../../fuse/mountpoint.ts';

/** As many as Linux follows. */
const MOST_LINKS = 40;

export interface MountOnTheWay {
  readonly mount: MountEntry;
  /** Canonical, since no mount of pailfs has symbolic links; whether it exists is not known. */
  readonly path: string;
}

/** `path`: absolute. Undefined, too, when it cannot be followed: realpath(3) tells why. */
export async function mountOnTheWay(
  path: string,
  table: readonly MountEntry[],
): Promise<MountOnTheWay | undefined> {
  const names = path.split('/');
  let place = '/';
  for (let links = 0; links <= MOST_LINKS;) {
    const mount = mountOf(place, table);
    if (mount !== undefined) return { mount, path: join(place, ...names) };
    const name = names.shift();
    if (name === undefined) return undefined;
    place = join(place, name);
    const target = await targetOf(place);
    if (target === undefined) continue;
    links += 1;
    place = isAbsolute(target) ? '/' : dirname(place);
    names.unshift(...target.split('/'));
  }
  return undefined;
}

/** What is mounted at `path` (canonical), or above it; undefined when that is not pailfs's. */
export function mountOf(path: string, table: readonly MountEntry[]): MountEntry | undefined {
  for (let above = path; ; above = dirname(above)) {
    // What was mounted there last hides what was before.
    const mount = table.findLast(({ mountpoint }) => mountpoint === above);
    if (mount !== undefined) return isOurType(mount.type) ? mount : undefined;
    if (above === '/') return undefined;
  }
}

/** Where its process may have mounted it: `mount --bind` shows a mount, or a folder of it, in other places, too. */
export function mountpointsOf(mount: MountEntry, table: readonly MountEntry[]): readonly string[] {
  const isSame = ({ device, root }: MountEntry): boolean =>
    device !== '' && device === mount.device && root === '/';
  return [...new Set([mount, ...table.filter(isSame)].map(({ mountpoint }) => mountpoint))];
}

/** Undefined when it is no symbolic link. */
async function targetOf(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  }
}
