/**
 * Which readers are in use, and which are kept for the next program?
 *
 * A version has one reader, whoever has it open, so that nobody fetches what another has under way. A program that has closed
 * a file often opens it again at once; its reader, with the bytes that are still landing, is kept for a while.
 */
import { LRUCache } from 'lru-cache';
import type { Version } from '../store/version.ts';
import type { ReadContext } from './read-context.ts';
import { VersionReader } from './reader.ts';

/** Idle readers of large files kept; each may have a temporary file on disk. */
const MAX_IDLE = 16;
/**
 * Those of small files that are kept in the place of a large one. Their GETs land in memory, and a folder's read-ahead that is given up
 * lets go of many at once: to end them would ask again for what is on its way.
 */
const SMALL_FOR_ONE = 16;

interface InUse {
  readonly reader: VersionReader;
  users: number;
  /** Nobody will ask for it once these have let go. */
  isForgotten: boolean;
}

/** One mount's readers. */
export class ReaderPool {
  readonly #context: ReadContext;
  readonly #keepsIdle: boolean;
  readonly #inUse = new Map<Version, InUse>();
  readonly #idle = new LRUCache<Version, VersionReader>({
    maxSize: MAX_IDLE * SMALL_FOR_ONE,
    sizeCalculation: ({ isSmall }) => (isSmall ? 1 : SMALL_FOR_ONE),
    dispose: (reader, _version, reason) => {
      if (reason === 'evict') void reader.dispose();
    },
  });

  /** `keepsIdle`: what was read outlasts its last user. */
  constructor(context: ReadContext, keepsIdle: boolean) {
    this.#context = context;
    this.#keepsIdle = keepsIdle;
  }

  /** The version's reader, where it is stored under `key`. Every `acquire` needs a `release`. */
  acquire(key: string, version: Version): VersionReader {
    const used = this.#inUse.get(version) ?? {
      reader: this.#readerFor(key, version),
      users: 0,
      isForgotten: false,
    };
    used.users += 1;
    used.reader.acquire();
    this.#inUse.set(version, used);
    return used.reader;
  }

  release(version: Version): void {
    const used = this.#inUse.get(version);
    if (used === undefined) return;
    used.users -= 1;
    used.reader.release();
    if (used.users > 0) return;
    this.#inUse.delete(version);
    if (this.#keepsIdle && !used.isForgotten) this.#idle.set(version, used.reader);
    else {
      void used.reader.dispose();
      this.#context.cache.dropVersion(version.id);
    }
  }

  /** Nobody will ask for `version` again: what memory has of it goes, at once or when those that read it now let go of it. */
  forget(version: Version): void {
    const used = this.#inUse.get(version);
    if (used !== undefined) {
      used.isForgotten = true;
      return;
    }
    void this.#idle.get(version)?.dispose();
    this.#idle.delete(version);
    this.#context.cache.dropVersion(version.id);
  }

  /** Ends all idle readers. */
  clear(): void {
    for (const reader of this.#idle.values()) void reader.dispose();
    this.#idle.clear();
  }

  /** Somebody needs the room of temporary files that nobody reads: ends their readers. Resolves when they are gone; never rejects. */
  async giveWay(): Promise<void> {
    const ended: Promise<void>[] = [];
    for (const [version, reader] of [...this.#idle.entries()]) {
      if (!reader.hasFile) continue;
      this.#idle.delete(version);
      ended.push(reader.dispose());
    }
    await Promise.all(ended);
  }

  #readerFor(key: string, version: Version): VersionReader {
    const idle = this.#idle.get(version);
    if (idle === undefined) return new VersionReader(this.#context, key, version);
    this.#idle.delete(version);
    idle.key = key;
    return idle;
  }
}
