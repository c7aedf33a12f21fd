/** When did a folder last change? The service does not say, so own changes tell, for as long as the mount lives. */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import type { LocalAttributes } from '../store/version.ts';

/** Folders whose attributes were changed here and are remembered. */
const MAX_FOLDERS = 100_000;

/** The local attributes of folders, by path. */
export class FolderTimes {
  readonly #clock: Clock;
  readonly #started: number;
  readonly #local = new LRUCache<string, LocalAttributes>({ max: MAX_FOLDERS });

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#started = clock.now();
  }

  /** What is known of the folder's local attributes; the mount's start stands for times that nothing moved. */
  of(path: string): LocalAttributes & { readonly mtime: number } {
    const local = this.#local.get(path);
    return { ...local, mtime: local?.mtime ?? this.#started };
  }

  set(path: string, change: LocalAttributes): void {
    this.#local.set(path, { ...this.#local.get(path), ...change });
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
    else this.#local.set(to, local);
  }

  forget(path: string): void {
    this.#local.delete(path);
  }
}
