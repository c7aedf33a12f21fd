/**
 * Does a folder stay when its last file goes?
 *
 * On a service whose folders exist only as part of keys, deleting the last file deletes the folder, and a program that is
 * about to create the next file finds no place for it (`rm -r`, `git`, `tar` all trip over this). So a folder that we emptied
 * stays in sight here, and is made real after a while. What is kept is remembered apart from the listings, which may be
 * forgotten at any time.
 */
import type { Clock } from '../base/clock.ts';
import { childOf, isWithin, nameOf, parentOf } from '../store/keys.ts';
import type { Outcome } from './entries.ts';
import type { FolderMemory } from './folder-memory.ts';
import type { KnownFolder } from './known-folder.ts';
import type { OwnChanges } from './own-changes.ts';

/** What is remembered besides; all of it is shared with known-names.ts. */
export interface KeptFoldersParts {
  readonly clock: Clock;
  readonly folders: FolderMemory;
  readonly changes: OwnChanges<Outcome>;
}

export interface KeptFolder {
  /**
   * Whether the service shows the folder itself: `unknown` until a listing of its parent, asked after the last file went,
   * tells. Only a folder that is `absent` needs no request to be removed.
   */
  readonly onService: 'unknown' | 'absent';
  /** Whether all that was in it is known to have gone, or only that one name went. */
  readonly emptied: 'surely' | 'maybe';
  /** When, by the clock's `monotonic`, milliseconds. */
  readonly since: number;
}

/** The folders that we emptied and the service may no longer have. */
export class KeptFolders {
  readonly #clock: Clock;
  readonly #folders: FolderMemory;
  readonly #changes: OwnChanges<Outcome>;
  readonly #kept = new Map<string, KeptFolder>();

  constructor({ clock, folders, changes }: KeptFoldersParts) {
    this.#clock = clock;
    this.#folders = folders;
    this.#changes = changes;
  }

  get(path: string): KeptFolder | undefined {
    return this.#kept.get(path);
  }

  keep(path: string, emptied: KeptFolder['emptied']): void {
    this.#kept.set(path, { onService: 'unknown', emptied, since: this.#clock.monotonic() });
  }

  /**
   * A name in the folder at `path`, of which `folder` is known, has gone by a change of ours: it stays if that was the last, or may have been.
   * Returns whether it is kept.
   */
  keepIfEmptied(path: string, folder: KnownFolder): boolean {
    const empty = folder.isEmpty();
    if (path === '/' || empty === false) return false;
    if (this.get(path)?.emptied !== 'surely') this.keep(path, empty === true ? 'surely' : 'maybe');
    // A listing that left while the last file was there, which may go from the service later than from sight, shows the folder: that proves
    // nothing any more.
    this.#disproveListings(path);
    return true;
  }

  /** A change of ours has made the service have every folder on the way to `path`. */
  dropAbove(path: string): void {
    const above: string[] = [];
    for (let folder = parentOf(path); folder !== '/'; folder = parentOf(folder)) above.push(folder);
    // A listing that left before does not show it, and nothing keeps it from now on.
    for (const folder of above) if (this.isOnTheWay(folder)) this.#disproveListings(folder);
    for (const folder of above) this.drop(folder);
  }

  /** A listing of the parent does not show it. */
  markAbsent(path: string): void {
    const kept = this.#kept.get(path);
    if (kept !== undefined) this.#kept.set(path, { ...kept, onService: 'absent', emptied: 'surely' });
  }

  /** The service has it, or it holds something again, or it was removed. */
  drop(path: string): void {
    this.#kept.delete(path);
  }

  /** The folder at `path` is gone, with all that are in it. */
  dropWithin(path: string): void {
    for (const kept of this.paths()) if (isWithin(kept, path)) this.drop(kept);
  }

  /** Shows those inside `path` in its whole listing, but for names in `except`. What the service lists itself is dropped. */
  showIn(path: string, folder: KnownFolder, except: ReadonlyMap<string, unknown>): void {
    for (const name of this.namesIn(path)) {
      if (except.has(name)) continue;
      const keptPath = childOf(path, name);
      if (folder.names.peek(name)?.kind === 'folder') {
        // For no more, perhaps, than what is still to be deleted in it.
        if (!this.#changes.isStandingIn(keptPath)) this.drop(keptPath);
        continue;
      }
      // What is only on the way to one that is kept goes with it.
      this.markAbsent(keptPath);
      folder.names.set(name, { kind: 'folder', confirmedAt: folder.listed?.since ?? 0, told: false });
    }
  }

  get isEmpty(): boolean {
    return this.#kept.size === 0;
  }

  paths(): string[] {
    return [...this.#kept.keys()];
  }

  all(): readonly KeptFolder[] {
    return [...this.#kept.values()];
  }

  /** Whether `path` is kept, or holds one that is. */
  isOnTheWay(path: string): boolean {
    if (this.#kept.has(path)) return true;
    for (const kept of this.#kept.keys()) if (isWithin(kept, path)) return true;
    return false;
  }

  /** Names directly inside `folder` of kept folders, and of those that hold one further below. */
  namesIn(folder: string): ReadonlySet<string> {
    const prefix = folder === '/' ? '/' : `${folder}/`;
    const below = [...this.#kept.keys()].filter((path) => path.startsWith(prefix));
    return new Set(below.map((path) => path.slice(prefix.length).replace(/\/.*/s, '')));
  }

  /** Listings of the folder above that have left by now tell nothing of the folder at `path`, which is there. */
  #disproveListings(path: string): void {
    this.#changes.record(parentOf(path), nameOf(path), { kind: 'folder' });
    const above = this.#folders.get(parentOf(path));
    if (above !== undefined) above.firstPage = null;
  }
}
