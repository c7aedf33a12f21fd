/** What is believed of a listing, page by page and whole, when names were changed here while it was asked for? */
import type { Log } from '../base/log.ts';
import { isDoubtful, type Entry, type Outcome } from './entries.ts';
import type { FolderMemory } from './folder-memory.ts';
import type { KeptFolders } from './kept-folders.ts';
import { KnownFolder } from './known-folder.ts';
import type { OwnChanges, Question } from './own-changes.ts';
import { letGoOf } from './page-names.ts';
import {
  entriesOf,
  folderOf,
  nothingTaken,
  takeDown,
  wholeFolder,
  type FolderTold,
  type TakenDown,
} from './told.ts';
import type { Walk } from './walk.ts';

/** What is remembered; all of it is shared with known-names.ts. */
export interface ListedNamesParts {
  readonly folders: FolderMemory;
  readonly changes: OwnChanges<Outcome>;
  readonly kept: KeptFolders;
  readonly log: Log;
}

/** No method waits or rejects. */
export class ListedNames {
  readonly #folders: FolderMemory;
  readonly #changes: OwnChanges<Outcome>;
  readonly #kept: KeptFolders;
  readonly #log: Log;
  readonly #complained = new Set<string>();

  constructor(parts: ListedNamesParts) {
    this.#folders = parts.folders;
    this.#changes = parts.changes;
    this.#kept = parts.kept;
    this.#log = parts.log;
  }

  /** The first page of a longer listing, unless we changed something in the folder since the question left. */
  keepFirstPage(path: string, question: Question, walk: Walk): void {
    if (this.#changes.allSince(question, path).size > 0) return;
    const folder = this.#folders.of(path);
    if (walk.page !== null) folder.firstPage = { page: walk.page, at: walk.at };
    this.#folders.set(path, folder);
  }

  /**
   * A page of a walk that goes on: its names are known from now on, and taken down where the walk does that, but for those
   * that we changed since the question left. Returns them.
   */
  applyPage(path: string, question: Question, told: FolderTold, taken: TakenDown): readonly string[] {
    const { folder, untold } = taken;
    const known = this.#folders.get(path) ?? folder;
    const changes = this.#changes.allSince(question, path);
    if (known.walked === null || known.walked.since <= told.since)
      known.walked = { since: told.since, at: told.at };
    this.#leaveOutForKept(path, told);
    const added = told.added.filter((name) => told.names.folders.has(name) || told.names.files.has(name));
    const unchanged = added.filter((name) => !changes.has(name));
    const entries = entriesOf({ ...told, added: unchanged }, known);
    for (const entry of entries) {
      takeDown(folder, entry, known);
      if (known !== folder) takeDown(known, entry, known);
    }
    for (const name of added) untold.delete(name);
    letGoOf(told.names, added);
    this.#folders.set(path, known);
    return entries.map(([name]) => name);
  }

  /**
   * A whole listing: kept whole, but for the names that we changed meanwhile. `taken`: where it has taken down the pages before.
   * Returns what the folder is known to hold by now.
   */
  applyWalk(path: string, question: Question, walk: FolderTold, taken = nothingTaken()): KnownFolder {
    const latest = this.#folders.get(path);
    // One that began later was quicker.
    if (latest !== undefined && latest.listedSince > walk.since) return latest;
    if (walk.pages > 1) this.applyPage(path, question, walk, taken);
    else this.#leaveOutForKept(path, walk);
    const before = this.#folders.get(path) ?? taken.folder;
    const changes = this.#changes.allSince(question, path);
    const changed = [...changes].map(([name, outcome]) => ({ name, outcome, known: before.names.get(name) }));
    // Pages may show the file that was there before.
    for (const { name, outcome } of changed) if (hidesNothing(outcome)) walk.names.shadowed.delete(name);
    const whole =
      walk.pages > 1 ? wholeFolder(taken, walk, before, changes) : folderOf(walk, before, changes);
    this.#kept.showIn(path, whole, changes);
    for (const { name, outcome, known } of changed) {
      if (known !== undefined && isToldSince(outcome, known, walk)) whole.names.set(name, known);
      // When it was made nobody knows any more: after the question had left.
      else whole.apply(name, outcome, known, known?.confirmedAt ?? walk.since);
    }
    this.#folders.set(path, changed.some(isLeftOpen) ? unlisted(whole) : whole);
    const isKnown = [...changes.values()].every(({ kind }) => kind !== 'unknown');
    if (isKnown) walk.kept.onlyThese(whole.names);
    this.#complainOnce(path, whole.listed?.hidden ?? 0, walk.names.skipped);
    return whole;
  }

  /** The service may show the file of a name that a folder had as long as that had anything in it, and is to have again. */
  #leaveOutForKept(path: string, { names }: Walk): void {
    for (const name of this.#kept.namesIn(path)) if (names.files.delete(name)) names.shadowed.add(name);
  }

  #complainOnce(path: string, hidden: number, unclear: number): void {
    if (hidden === 0 || this.#complained.has(path)) return;
    this.#complained.add(path);
    if (hidden > unclear)
      this.#log.warn('some keys cannot be shown as names and are left out', {
        folder: path,
        hidden: hidden - unclear,
      });
    if (unclear > 0)
      this.#log.warn('the service shows things without a name, a size or a date: they are left out', {
        folder: path,
        unclear,
      });
  }
}

/** Whether no file is left out for what an own change has put under its name. A removal of a folder does not tell. */
function hidesNothing(outcome: Outcome): boolean {
  return outcome.kind === 'file' || (outcome.kind === 'folder' && outcome.isNew === true);
}

/** Whether somebody has asked, since our change, what has the name: it is that of a folder that went, or others have changed it again. */
function isToldSince(outcome: Outcome, known: Entry, { since }: Walk): boolean {
  if (known.confirmedAt < since) return false;
  if (outcome.kind === 'file')
    return known.kind === 'missing' || (known.kind === 'file' && !outcome.version.isSame(known.version));
  return outcome.kind === 'missing';
}

/** Whether a folder went meanwhile of whose name nobody knows yet whether a file has it. */
function isLeftOpen({ known }: { readonly known: Entry | undefined }): boolean {
  return known?.kind === 'missing' && isDoubtful(known);
}

/** The same names, of which the readers of this walk alone are told that there are no others: whoever comes now asks anew. */
function unlisted({ names, walked }: KnownFolder): KnownFolder {
  const folder = new KnownFolder(names);
  folder.walked = walked;
  return folder;
}
