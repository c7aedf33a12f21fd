/**
 * Which names does a page of a listing show? (design: names)
 *
 * The service allows keys that no directory can show: `a//b`, `../x`, names over 255 bytes. Such a key is left out without
 * disturbing the rest and counted. A folder wins over a file of the same name, which counts as left out, and an entry equal to its own
 * folder (`a/` inside `a/`) is no file; one with bytes is somebody's. What did not count would go with the folder above.
 */
import type { FileEntry, ObjectPage } from '../service/records.ts';
import { isUsableName } from '../store/keys.ts';

export interface NamesOfPages {
  readonly folders: Set<string>;
  readonly files: Map<string, FileEntry>;
  /** Distinct entries that cannot be shown. */
  readonly hidden: Set<string>;
  /** Names of files that are not shown, since a folder has the name. */
  readonly shadowed: Set<string>;
  /** Whether anything at all was listed: then the folder exists. */
  existed: boolean;
  /** Entries without a usable shape, or of another folder. */
  skipped: number;
  /** Names of files of which an entry without a usable shape says only that they are there. */
  readonly odd: Set<string>;
  /** The entry that comes last in key order, as it is below the folder. */
  lastKey: string;
  /** Files whose name a folder may still take. */
  held: readonly string[];
}

/** Shorter ones are copies (V8). */
const SHORTEST_SLICE = 13;

export function emptyNames(): NamesOfPages {
  return {
    folders: new Set(),
    files: new Map(),
    hidden: new Set(),
    shadowed: new Set(),
    existed: false,
    skipped: 0,
    odd: new Set(),
    lastKey: '',
    held: [],
  };
}

/**
 * Adds what `page` shows of the folder whose key prefix is `prefix` (empty for the top, else with trailing slash). Returns the
 * names that no later page can turn into something else, as long as pages come in key order: the interface promises none
 * (§4.11), and elsewhere a file may be taken for what it is until the folder of its name comes.
 */
export function addPage(names: NamesOfPages, prefix: string, page: ObjectPage): readonly string[] {
  const added = new Set(names.held);
  names.skipped += page.skipped;
  for (const key of page.skippedKeys ?? []) {
    const name = nameBelow(prefix, key);
    if (name !== undefined && isUsableName(name)) names.odd.add(name);
  }
  if (page.folders.length + page.objects.length > 0) names.existed = true;
  for (const folder of page.folders) {
    const name = nameBelow(prefix, folder);
    if (name === undefined) {
      names.skipped += 1;
      continue;
    }
    noteKey(names, name);
    if (isFolderName(name)) {
      const shown = name.slice(0, -1);
      names.folders.add(shown);
      added.add(shown);
      if (names.files.has(shown)) names.shadowed.add(shown);
    } else if (name !== '') names.hidden.add(folder);
  }
  for (const file of page.objects) {
    const name = nameBelow(prefix, file.key);
    if (name === undefined) {
      names.skipped += 1;
      continue;
    }
    noteKey(names, name);
    if (isUsableName(name)) {
      names.files.set(name, file);
      added.add(name);
      if (names.folders.has(name)) names.shadowed.add(name);
    } else if (name !== '' || file.size > 0) names.hidden.add(file.key);
  }
  const isHeld = (name: string): boolean =>
    page.nextPage !== null && !names.folders.has(name) && isFolderYetToCome(name, names.lastKey);
  names.held = [...added].filter(isHeld);
  return [...added].filter((name) => !isHeld(name));
}

/** Lets go of files that are taken down elsewhere: those of a long listing would fill the memory. */
export function letGoOf({ files }: NamesOfPages, names: readonly string[]): void {
  for (const name of names) files.delete(name);
}

function noteKey(names: NamesOfPages, key: string): void {
  if (comesAfter(key, names.lastKey)) names.lastKey = key;
}

/** In the order of their UTF-8 bytes, which is that of code points: `>` takes what is beyond U+FFFF for less than U+E000. */
function comesAfter(key: string, other: string): boolean {
  let same = 0;
  while (same < other.length && key.charCodeAt(same) === other.charCodeAt(same)) same += 1;
  return (key.codePointAt(same) ?? -1) > (other.codePointAt(same) ?? -1);
}

/** Whether `name/` comes after `lastKey` in key order, though `name` does not: `a-b` is between `a` and `a/`. */
function isFolderYetToCome(name: string, lastKey: string): boolean {
  return lastKey.startsWith(name) && lastKey.slice(name.length) < '/';
}

/** Undefined for an entry of another folder, which a listing of this one should not hold. */
function nameBelow(prefix: string, key: string): string | undefined {
  return key.startsWith(prefix) ? withoutItsKey(key.slice(prefix.length)) : undefined;
}

function isFolderName(name: string): boolean {
  return name.endsWith('/') && isUsableName(name.slice(0, -1));
}

/** The text of a longer slice is that of all the key, which would stay in memory as long as the name. */
function withoutItsKey(name: string): string {
  return name.length < SHORTEST_SLICE ? name : Buffer.from(name).toString();
}
