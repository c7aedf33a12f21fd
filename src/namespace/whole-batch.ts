/** How is a reader given all of a folder, though it takes its time and the folder changes meanwhile? */
import type { Entry, NamesBatch } from './entries.ts';
import type { KnownFolder } from './known-folder.ts';
import type { KnownNames } from './known-names.ts';

/** All of `folder`, which was listed at `path`. */
export function wholeBatch(known: KnownNames, path: string, folder: KnownFolder): NamesBatch {
  // What is known since may be of a few names only, where the memory does not hold the folder.
  const peek = (name: string): Entry | undefined => known.folder(path)?.glance(name) ?? folder.glance(name);
  const { state, visible } = folder.names;
  const stillFor = (): number => (known.listedFresh(path)?.names.state === state ? known.listedFor(path) : 0);
  return { names: folder.names.keys(), peek, whole: { count: visible, stillFor } };
}
