/** What is below a folder, all of it? A rename has to take along what no listing shows, too, or else refuse. */
import { atOnce } from '../../base/at-once.ts';
import type { KnownFolder } from '../../namespace/known-folder.ts';
import { childOf } from '../../store/keys.ts';
import type { Version } from '../../store/version.ts';
import { FsError } from '../errors.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile } from '../open-file.ts';

const LISTINGS_AT_ONCE = 8;

export interface StoredFile {
  readonly path: string;
  readonly version: Version;
}

export interface FolderTree {
  /** The root first; each before those in it. */
  readonly folders: readonly string[];
  /** What the service has. */
  readonly files: readonly StoredFile[];
}

/**
 * The tree below `root`, a folder. Asks for the listings that are not fresh. Rejects with EPERM when there are keys that cannot be
 * shown, with EXDEV when there are more than `limit` files, or with the refusal of the service.
 */
export async function treeToRename(mount: MountState, root: string, limit: number): Promise<FolderTree> {
  const tree = await walkTree(root, async (path, { files }) => {
    // It is too much already: nobody needs to know how much.
    if (files.length > limit) return null;
    const folder = await mount.namespace.list(path);
    if (folder.hidden === 0) return folder;
    throw new FsError('EPERM', path, 'it has keys that cannot be shown as names, and that would be left');
  });
  if (tree.files.length <= limit) return tree;
  mount.log.warn('a folder with more files than rename_limit is not renamed: mv copies it instead', {
    path: root,
    rename_limit: limit,
  });
  throw new FsError('EXDEV', root, `it holds more files than rename_limit, ${limit}`);
}

/** All that can be seen below `root`, a folder, now. Rejects with the refusal of the service. */
export function treeNow({ namespace }: MountState, root: string): Promise<FolderTree> {
  return walkTree(root, (path) => namespace.relist(path));
}

/** `list` gives null where it is of no interest any more. */
async function walkTree(
  root: string,
  list: (path: string, sofar: FolderTree) => Promise<KnownFolder | null>,
): Promise<FolderTree> {
  const folders: string[] = [];
  const files: StoredFile[] = [];
  for (let level = [root]; level.length > 0;) {
    const below: string[] = [];
    await atOnce(level, LISTINGS_AT_ONCE, async (path) => {
      const names = (await list(path, { folders, files }))?.names ?? [];
      for (const [name, entry] of names) {
        if (entry.kind === 'folder') below.push(childOf(path, name));
        else if (entry.kind === 'file') files.push({ path: childOf(path, name), version: entry.version });
      }
    });
    // One by one: there may be more than a call takes parameters.
    for (const path of level) folders.push(path);
    level = below;
  }
  return { folders, files };
}

/** Of folders in an order in which each comes before those in it: those equally deep together. */
export function levelsOf(folders: readonly string[]): string[][] {
  const levels = new Map<number, string[]>();
  for (const path of folders) {
    const depth = path.split('/').length;
    const level = levels.get(depth);
    if (level === undefined) levels.set(depth, [path]);
    else level.push(path);
  }
  return [...levels.values()];
}

/** The files that are open, or wait to be stored, below `folder`. */
export function heldBelow({ table }: MountState, folder: string): OpenFile[] {
  return table.all().filter(({ path }) => path.startsWith(`${folder}/`));
}
