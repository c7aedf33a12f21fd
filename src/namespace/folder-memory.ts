/** Which folders are remembered? Those asked for last in any bucket of the mount, as many as the memory for names holds. */
import { LRUCache } from 'lru-cache';
import { KnownFolder } from './known-folder.ts';

/** Roughly, a folder beside its names. */
const FOLDER_BYTES = 2200;
/** Roughly, an entry of a page that waits for its listing. */
const PAGE_ENTRY_BYTES = 350;

/** The memory for names of one mount. */
export class NamesRoom {
  /** By bucket and path. */
  readonly folders: LRUCache<string, KnownFolder>;

  /** `maxBytes`: roughly. A folder that takes more is not remembered. */
  constructor(maxBytes: number) {
    this.folders = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (folder) => folder.names.bytes + bytesOfPage(folder) + FOLDER_BYTES,
    });
  }
}

/** The folders of one bucket. */
export class FolderMemory {
  readonly #folders: LRUCache<string, KnownFolder>;
  readonly #bucket: string;

  /** `bucket`: its identifier, which holds no slash; to be left out where there is no other. */
  constructor({ folders }: NamesRoom, bucket = '') {
    this.#folders = folders;
    this.#bucket = bucket;
  }

  get(path: string): KnownFolder | undefined {
    return this.#folders.get(this.#bucket + path);
  }

  /** What is remembered of it, or one of which nothing is known. */
  of(path: string): KnownFolder {
    return this.get(path) ?? new KnownFolder();
  }

  /** To be called after each change: only what is set anew is measured anew. */
  set(path: string, folder: KnownFolder): void {
    this.delete(path);
    this.#folders.set(this.#bucket + path, folder);
  }

  delete(path: string): void {
    this.#folders.delete(this.#bucket + path);
  }

  *all(): Generator<KnownFolder, void> {
    for (const [key, folder] of this.#folders.entries()) if (key.startsWith(`${this.#bucket}/`)) yield folder;
  }
}

function bytesOfPage({ firstPage }: KnownFolder): number {
  if (firstPage === null) return 0;
  const { folders, objects } = firstPage.page;
  return (folders.length + objects.length) * PAGE_ENTRY_BYTES;
}
