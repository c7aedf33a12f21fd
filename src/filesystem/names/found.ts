/** What does a program hear when its path leads to nothing, or to something else than it wants? */
import type { Entry, FileEntryKnown, Found } from '../../namespace/entries.ts';
import type { Namespace } from '../../namespace/namespace.ts';
import { parentOf } from '../../store/keys.ts';
import { FsError } from '../errors.ts';

/** What exists at a path. */
export type Existing = Exclude<Entry, { kind: 'missing' }>;

/**
 * `found`, which exists. Throws ENOENT, which may be believed for `validFor` milliseconds, or ENOTDIR when a component of the path is
 * a file.
 */
export function existing(path: string, found: Found, validFor = 0): Existing {
  if (found.kind === 'under-file') throw new FsError('ENOTDIR', path, 'a component of the path is a file');
  if (found.kind === 'missing') throw new FsError('ENOENT', path, 'no such file or folder', { validFor });
  return found;
}

/** `found`, which is a file. Throws as `existing`, or EISDIR. */
export function existingFile(path: string, found: Found): FileEntryKnown {
  const entry = existing(path, found);
  if (entry.kind === 'folder') throw new FsError('EISDIR', path, 'it is a folder');
  return entry;
}

/** For `path`, which is free. Rejects with ENOENT when not even its folder exists. */
export async function requireParent(namespace: Pick<Namespace, 'lookup'>, path: string): Promise<void> {
  const parent = await namespace.lookup(parentOf(path));
  if (parent.kind === 'missing') throw new FsError('ENOENT', path, 'its folder does not exist');
}
