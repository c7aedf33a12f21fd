/** What is in a folder, as the service lists it? Keys that no mount can show are among it. (§4.11) */
import type { FileEntry } from '../../service/records.ts';
import { isRefusal } from '../../service/refusal.ts';
import type { BucketStore } from '../../store/bucket-store.ts';
import { CommandError, exitCodes } from '../command-error.ts';

export interface FolderContent {
  /** Whole paths, each ending with `/`. */
  readonly folders: readonly string[];
  readonly files: readonly FileEntry[];
  /** How many things the service shows of which it does not say enough: without a name, a size or a date. */
  readonly unclear: number;
}

/** All pages of one level. `prefix`: empty for the top, else with a slash at the end. Rejects with a `Refusal`. */
export async function listFolder(store: BucketStore, prefix: string): Promise<FolderContent> {
  const content = await listed(store, prefix, prefix.slice(0, -1));
  if (!isNameless(prefix) || !isEmpty(content)) return content;
  // To some services a slash at the end of what they are asked for is none.
  return listed(store, prefix, prefix);
}

/** Whether the last segment is empty, as of `a//`. */
function isNameless(prefix: string): boolean {
  return prefix === '/' || prefix.endsWith('//');
}

function isEmpty({ folders, files }: FolderContent): boolean {
  return folders.length + files.length === 0;
}

async function listed(store: BucketStore, prefix: string, folder: string): Promise<FolderContent> {
  const folders = new Set<string>();
  const files = new Map<string, FileEntry>();
  let unclear = 0;
  const restarted = (): void => {
    folders.clear();
    files.clear();
    unclear = 0;
  };
  try {
    for await (const page of store.pages(folder, { restarted, goesOn: () => true })) {
      // The entry of a folder itself is none in it, unless it has bytes, and what is elsewhere is no business of this listing.
      const isBelow = (key: string): boolean => key.startsWith(prefix) && key !== prefix;
      for (const found of page.folders.filter(isBelow)) folders.add(found);
      const isFile = ({ key, size }: FileEntry): boolean => isBelow(key) || (key === prefix && size > 0);
      for (const file of page.objects.filter(isFile)) files.set(file.key, file);
      const own = (page.skippedKeys ?? []).filter((key) => key === prefix);
      unclear += page.skipped - own.length;
    }
  } catch (error) {
    // Some services have no answer for a folder that is not there.
    if (!isRefusal(error, 'missing')) throw error;
  }
  return { folders: [...folders].sort(), files: [...files.values()].sort(byKey), unclear };
}

export interface TreeContent {
  /** A folder comes before those in it; the top of the tree is not among them. */
  readonly folders: readonly string[];
  readonly files: readonly FileEntry[];
  /** Of these folders the service shows that they are there, but not, or not all of, what is in them: `a//` is `a/` to some. */
  readonly unlisted: readonly string[];
}

/** All levels below `prefix`. Rejects with a `Refusal`. */
export async function listTree(store: BucketStore, prefix: string): Promise<TreeContent> {
  const content = await listFolder(store, prefix);
  const { folders, files } = content;
  const below = await Promise.all(folders.map((folder) => listTree(store, folder)));
  return {
    folders: folders.flatMap((folder, index) => [folder, ...(below[index]?.folders ?? [])]),
    files: [...files, ...below.flatMap((tree) => tree.files)],
    unlisted: [
      ...((isNameless(prefix) && isEmpty(content)) || content.unclear > 0 ? [prefix] : []),
      ...below.flatMap((tree) => tree.unlisted),
    ],
  };
}

export type Target = { readonly kind: 'file' } | { readonly kind: 'folder'; readonly prefix: string };

/**
 * What a person means by `key`: a file, else the folder of that name. Empty, or with a slash at the end: a folder. Rejects with a
 * `CommandError` when there is neither, or with a `Refusal`.
 */
export async function findTarget(store: BucketStore, key: string): Promise<Target> {
  const isFolderName = key === '' || key.endsWith('/');
  if (!isFolderName && (await isFile(store, key))) return { kind: 'file' };
  const prefix = isFolderName ? key : `${key}/`;
  if (!(await isFolder(store, prefix))) throw new CommandError(exitCodes.failed, 'it does not exist');
  return { kind: 'folder', prefix };
}

/** Whether there is a folder `prefix`, which is as for `listFolder`. Rejects with a `Refusal`. */
export async function isFolder(store: BucketStore, prefix: string): Promise<boolean> {
  return !isEmpty(await listFolder(store, prefix)) || isListed(store, prefix);
}

/** A DELETE says yes to a file that was never there (§4.10), so a typing error would go unnoticed. */
async function isFile(store: BucketStore, key: string): Promise<boolean> {
  try {
    await store.head(key);
    return true;
  } catch (error) {
    if (isRefusal(error, 'missing')) return false;
    throw error;
  }
}

/** Whether the folder is there though it is empty: the folder that it is in says so. `prefix` as for `listFolder`. */
export async function isListed(store: BucketStore, prefix: string): Promise<boolean> {
  if (prefix === '') return true;
  const parent = prefix.slice(0, prefix.lastIndexOf('/', prefix.length - 2) + 1);
  return (await listFolder(store, parent)).folders.includes(prefix);
}

function byKey(one: FileEntry, other: FileEntry): number {
  return one.key < other.key ? -1 : one.key > other.key ? 1 : 0;
}
