/** What does an answer of the service tell of a file, beside what is known of its name? */
import { Version, type VersionFacts } from '../store/version.ts';
import {
  afterFile,
  doubtful,
  isDoubtful,
  type Entry,
  type FileEntryKnown,
  type FolderEntryKnown,
  type NamedEntry,
} from './entries.ts';
import type { KeptInFolder, KeptOfFolder } from './kept-locals.ts';
import { KnownFolder } from './known-folder.ts';
import type { Walk } from './walk.ts';

/** The facts of a file, and what is kept of local attributes of its name. */
export interface FileTold extends VersionFacts {
  readonly kept?: KeptInFolder;
}

/** A walk, and what is kept of local attributes of its folder. */
export interface FolderTold extends Walk {
  readonly kept: KeptOfFolder;
}

interface Recollection {
  /** What is known of the name. */
  readonly before: Entry | undefined;
  /** Monotonic milliseconds at which the request left. */
  readonly at: number;
  readonly kept: KeptInFolder | undefined;
}

/** A version that is not the known one is a new one, with what is kept of it from before it was forgotten, or before the mount. */
export function entryOf(
  name: string,
  facts: VersionFacts,
  { before, at, kept }: Recollection,
): FileEntryKnown {
  if (before?.kind === 'file' && before.version.matches(facts))
    return before.confirmedAt >= at ? before : { ...before, confirmedAt: at };
  const version = Version.told(facts);
  const local = kept?.recall(name, facts);
  if (local !== undefined) version.local = local;
  return { kind: 'file', version, confirmedAt: at };
}

/** The names that are certain since the last page, but for those that have gone since. `known`: what is known of the folder. */
export function entriesOf(walk: FolderTold, known: KnownFolder): readonly NamedEntry[] {
  const entries: NamedEntry[] = [];
  for (const name of walk.added) {
    const entry = toldOf(name, walk, known);
    if (entry !== undefined) entries.push([name, entry]);
  }
  return entries;
}

/** Undefined when somebody has asked since, and was told that nothing has the name. */
function toldOf(name: string, walk: FolderTold, known: KnownFolder): Entry | undefined {
  const { names, kept } = walk;
  const facts = names.folders.has(name) ? undefined : names.files.get(name);
  const at = (facts === undefined ? undefined : walk.toldAt.get(name)) ?? walk.at;
  const before = known.glance(name);
  const isLater = before !== undefined && before.confirmedAt > at;
  if (isLater && before.kind === 'folder') return before;
  // Of a folder no HEAD tells, only a listing, which leaves the name out.
  if (isLater && before.kind === 'missing' && (facts !== undefined || !known.names.has(name)))
    return undefined;
  if (facts === undefined) return folderEntry(at);
  // Also by the service's own times what was told since is newer.
  if (isLater && before.kind === 'file' && before.version.replaced(facts)) return before;
  // A listing may be late. What it shows of a file that was replaced is not to be believed: the next look asks for the file itself.
  // So it is where the file itself was asked for since: times of files are told by the second.
  if (
    before?.kind === 'file' &&
    (before.version.replaced(facts) || (isLater && !before.version.matches(facts)))
  )
    return doubtful(before);
  return entryOf(name, facts, { before, at, kept });
}

/** Takes down what a listing told of `name`. `known`: what is known of its folder. */
export function takeDown(folder: KnownFolder, [name, entry]: NamedEntry, known: KnownFolder): void {
  if (entry.kind === 'file') folder.names.setTold(name, entry, known.names);
  else folder.names.set(name, entry);
}

/** The folder that a walk of one page tells of, but for the names `changed`. `known`: what is known of it. */
export function folderOf(
  walk: FolderTold,
  known: KnownFolder,
  changed: ReadonlyMap<string, unknown>,
): KnownFolder {
  const folder = new KnownFolder();
  // What it tells of those is older than our change, whose version it might take for its own.
  const added = [...walk.names.folders, ...walk.names.files.keys()].filter((name) => !changed.has(name));
  for (const named of entriesOf({ ...walk, added }, known)) takeDown(folder, named, known);
  addFoundAfter(folder, walk, known, changed);
  return asListed(folder, walk);
}

/** Where a long walk takes down what its pages tell. */
export interface TakenDown {
  readonly folder: KnownFolder;
  /** Names that were in it before, of which no page has told yet. */
  readonly untold: Set<string>;
}

export function nothingTaken(): TakenDown {
  return { folder: new KnownFolder(), untold: new Set() };
}

/**
 * The folder of which each page of a long walk was taken down is whole: what neither it nor anybody later told of is not there. `known`:
 * what was known of it besides, which programs may have been given versions of meanwhile.
 */
export function wholeFolder(
  { folder, untold }: TakenDown,
  walk: FolderTold,
  known: KnownFolder,
  changed: ReadonlyMap<string, unknown>,
): KnownFolder {
  if (known !== folder) {
    for (const [name, given] of known.names.given()) {
      if (changed.has(name)) continue;
      const told = folder.names.peek(name);
      if (told?.kind !== 'file' || given.kind === 'folder') continue;
      const isSame = given.kind === 'file' && given.version.isSame(told.version);
      // Since its page somebody has found another file there, or none, or that it is another.
      const isLater = given.confirmedAt > told.confirmedAt || (isSame && isDoubtful(given));
      if (isSame && !isLater) folder.names.set(name, { ...given, confirmedAt: told.confirmedAt });
      else if (isLater) folder.names.set(name, afterFile(given, told.confirmedAt));
    }
  }
  for (const name of untold) {
    const before = folder.names.peek(name);
    if (isFoundAfter(walk, before)) continue;
    if (before?.kind === 'file' && walk.names.odd.has(name)) folder.names.set(name, doubtful(before));
    else folder.names.delete(name);
  }
  if (known !== folder) addFoundAfter(folder, walk, known, changed);
  return asListed(folder, walk);
}

/** Adds what was found after the last page was asked for, and what the listing tells nothing more of. */
function addFoundAfter(
  folder: KnownFolder,
  walk: FolderTold,
  known: KnownFolder,
  changed: ReadonlyMap<string, unknown>,
): void {
  for (const [name, given] of known.names.given()) {
    if (changed.has(name) || folder.names.has(name)) continue;
    if (isFoundAfter(walk, given)) folder.names.set(name, given);
    // It may still be the file that is known: the next look asks.
    else if (given.kind === 'file' && walk.names.odd.has(name)) folder.names.set(name, doubtful(given));
  }
}

/** Whether somebody asked for it after the last page, and it was there. */
function isFoundAfter({ at }: FolderTold, entry: Entry | undefined): boolean {
  return entry !== undefined && entry.kind !== 'missing' && entry.confirmedAt > at;
}

function asListed(folder: KnownFolder, { names, since, at, pages }: FolderTold): KnownFolder {
  const hidden = names.hidden.size + names.shadowed.size + names.skipped;
  const listed = { since, at, pages, hidden, told: true, folders: [...names.folders] };
  folder.becomeListed(names.odd.size > 0 ? { ...listed, odd: names.odd } : listed);
  folder.walked = folder.listed;
  folder.firstPage = null;
  return folder;
}

function folderEntry(at: number): FolderEntryKnown {
  return { kind: 'folder', confirmedAt: at, told: true };
}
