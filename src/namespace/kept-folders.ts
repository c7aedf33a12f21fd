/**
 * Does a folder stay when its last file goes?
 *
 * On a service whose folders exist only as part of keys, deleting the last file deletes the folder, and a program that is
 * about to create the next file finds no place for it (`rm -r`, `git`, `tar` all trip over this). So a folder that we emptied
 * stays in sight here, and is made real after a while. What is kept is remembered apart from the listings, which may be
 * forgotten at any time.
 */
import type { Clock } from '../base/clock.ts';
import { childOf } from '../store/keys.ts';
import type { KnownFolder } from './known-folder.ts';

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
  readonly #kept = new Map<string, KeptFolder>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(path: string): KeptFolder | undefined {
    return this.#kept.get(path);
  }

  keep(path: string, emptied: KeptFolder['emptied']): void {
    this.#kept.set(path, { onService: 'unknown', emptied, since: this.#clock.monotonic() });
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

  /** Shows those inside `path` in its whole listing, but for names in `except`. What the service lists itself is dropped. */
  showIn(path: string, folder: KnownFolder, except: ReadonlyMap<string, unknown>): void {
    for (const name of this.namesIn(path)) {
      if (except.has(name)) continue;
      const keptPath = childOf(path, name);
      if (folder.names.peek(name)?.kind === 'folder') {
        this.drop(keptPath);
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
    for (const kept of this.#kept.keys()) if (kept.startsWith(`${path}/`)) return true;
    return false;
  }

  /** Names directly inside `folder` of kept folders, and of those that hold one further below. */
  namesIn(folder: string): ReadonlySet<string> {
    const prefix = folder === '/' ? '/' : `${folder}/`;
    const below = [...this.#kept.keys()].filter((path) => path.startsWith(prefix));
    return new Set(below.map((path) => path.slice(prefix.length).replace(/\/.*/s, '')));
  }
}
