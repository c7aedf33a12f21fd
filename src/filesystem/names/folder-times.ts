/**
 * When did a folder last change, and what did programs set on it? The service does not say, so own changes tell. All of it is in
 * memory, and kept for the next mount.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import type { KeptAttributes } from '../../content/journal/kept-attributes.ts';
import { childOf, nameOf, parentOf } from '../../store/keys.ts';
import type { LocalAttributes } from '../../store/version.ts';

/** Folders whose attributes were changed here and are remembered. */
const MAX_FOLDERS = 100_000;

/** The local attributes of folders, by path. */
export class FolderTimes {
  readonly #clock: Clock;
  readonly #kept: KeptAttributes;
  readonly #started: number;
  readonly #local: LRUCache<string, LocalAttributes>;
  /** Names of the folders in `#local`, and of those on the way to them, by parent. */
  readonly #names = new Map<string, Set<string>>();

  /** `started`: what stands for times that nothing moved, milliseconds since 1970. */
  constructor(clock: Clock, kept: KeptAttributes, started: number = clock.now()) {
    this.#clock = clock;
    this.#kept = kept;
    this.#started = started;
    this.#local = new LRUCache({
      max: MAX_FOLDERS,
      onInsert: (_local, path, reason) => {
        if (reason === 'add') this.#enter(path);
      },
      dispose: (_local, path, reason) => {
        if (reason === 'set') return;
        this.#leave(path);
        this.#kept.setFolder(path, undefined);
      },
    });
  }

  /** Remembers what earlier mounts knew. Call before anything is asked or set. */
  async restore(): Promise<void> {
    const folders = [...(await this.#kept.folders())];
    // Who was set last shall be forgotten last.
    folders.sort(([, a], [, b]) => (a.ctime ?? 0) - (b.ctime ?? 0));
    for (const [path, local] of folders) this.#local.set(path, local);
  }

  /** What is known of the folder's local attributes; the mount's start stands for times that nothing moved. */
  of(path: string): LocalAttributes & { readonly mtime: number; readonly atime: number } {
    const local = this.#local.get(path);
    return { ...local, mtime: local?.mtime ?? this.#started, atime: local?.atime ?? this.#started };
  }

  set(path: string, change: LocalAttributes): void {
    this.#put(path, { ...this.#local.get(path), ...change });
  }

  /** Something was created, removed or renamed directly inside. */
  touch(path: string): void {
    const now = this.#clock.now();
    this.set(path, { mtime: now, ctime: now });
  }

  /** What is known of the folder at `from` is known of the one at `to`, and nothing else. */
  copy(from: string, to: string): void {
    const local = this.#local.get(from);
    if (local === undefined) this.#local.delete(to);
    else this.#put(to, local);
  }

  forget(path: string): void {
    this.#local.delete(path);
  }

  /** In the folder at `path` there are the folders of which `isThere` says so, and no others. */
  onlyThese(path: string, isThere: (name: string) => boolean): void {
    for (const name of this.#names.get(path) ?? []) {
      if (!isThere(name)) this.#forgetTree(childOf(path, name));
    }
  }

  /** The folder at `path` is gone, with those in it. */
  #forgetTree(path: string): void {
    this.forget(path);
    for (const name of this.#names.get(path) ?? []) this.#forgetTree(childOf(path, name));
  }

  #put(path: string, local: LocalAttributes): void {
    this.#local.set(path, local);
    this.#kept.setFolder(path, local);
  }

  #enter(path: string): void {
    for (let below = path; below !== '/'; below = parentOf(below)) {
      const names = this.#names.get(parentOf(below)) ?? new Set();
      if (names.has(nameOf(below))) return;
      this.#names.set(parentOf(below), names.add(nameOf(below)));
    }
  }

  #leave(path: string): void {
    for (let below = path; below !== '/' && !this.#names.has(below); below = parentOf(below)) {
      if (below !== path && this.#local.has(below)) return;
      const names = this.#names.get(parentOf(below));
      names?.delete(nameOf(below));
      if (names !== undefined && names.size > 0) return;
      this.#names.delete(parentOf(below));
    }
  }
}
