/** Which folders are remembered? Those asked for last, as many as the memory for names holds. */
import { LRUCache } from 'lru-cache';
import { KnownFolder } from './known-folder.ts';

/** Roughly, a folder beside its names. */
const FOLDER_BYTES = 1000;

export class FolderMemory {
  readonly #folders: LRUCache<string, KnownFolder>;

  /** `maxBytes`: roughly. A folder that takes more is not remembered. */
  constructor(maxBytes: number) {
    this.#folders = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (folder) => folder.names.bytes + FOLDER_BYTES,
    });
  }

  get(path: string): KnownFolder | undefined {
    return this.#folders.get(path);
  }

  /** What is remembered of it, or one of which nothing is known. */
  of(path: string): KnownFolder {
    return this.get(path) ?? new KnownFolder();
  }

  /** To be called after each change: only what is set anew is measured anew. */
  set(path: string, folder: KnownFolder): void {
    this.#folders.delete(path);
    this.#folders.set(path, folder);
  }

  delete(path: string): void {
    this.#folders.delete(path);
  }

  all(): Iterable<KnownFolder> {
    return this.#folders.values();
  }
}
