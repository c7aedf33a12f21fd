/** Which groups of the disk cache are held open, so that what they have is known without a look at the disk? */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import type { DiskCalls } from '../disk-calls.ts';
import type { DirectWrites } from '../direct-writes.ts';
import { GroupFile } from './group-file.ts';

/** Groups whose files are held open. */
const MOST_OPEN = 256;
/** A group counts as just used for so long. */
const TOUCH_AGE_MS = 10 * 60_000;
/** So often it is looked which of them somebody has deleted: who does that wants their room. */
const NAMES_AGE_MS = 60_000;

export interface OpenGroupsParts {
  readonly pathOf: (name: string) => string;
  readonly blockSize: number;
  readonly calls: DiskCalls;
  readonly direct: DirectWrites;
  readonly clock: Clock;
  /** Runs what may fail, of which only the log hears. */
  readonly orLog: (action: () => Promise<void>) => Promise<void>;
}

/** Those of one mount, by the names of their files. Nothing rejects. */
export class OpenGroups {
  readonly #parts: OpenGroupsParts;
  readonly #open: LRUCache<string, GroupFile>;
  readonly #opening = new Map<string, Promise<void>>();
  readonly #touchedAt = new LRUCache<string, number>({ max: 4 * MOST_OPEN });
  #isClosed = false;
  /** Ends the wait for the next look at the names; null: nothing is open to be looked at. */
  #endWait: (() => void) | null = null;

  constructor(parts: OpenGroupsParts) {
    this.#parts = parts;
    this.#open = new LRUCache({
      max: MOST_OPEN,
      dispose: (file, _name, reason) => {
        void parts.orLog(() => file.close(reason !== 'delete'));
      },
    });
  }

  /** The group's file, if it was opened lately; what it says of its blocks is true until something is awaited. */
  get(name: string): GroupFile | undefined {
    // Until then only a stand-in is held, which says that nothing is there.
    return this.#opening.has(name) ? undefined : this.#open.get(name);
  }

  /** Resolves when `get` knows the group. What cannot be read is not there. */
  open(name: string, hash: string): Promise<void> {
    const underWay = this.#opening.get(name);
    if (underWay !== undefined) return underWay;
    const opening = this.#parts
      .orLog(() => this.#openFile(name, hash))
      .finally(() => this.#opening.delete(name));
    this.#opening.set(name, opening);
    return opening;
  }

  /** As `get`, opened if need be. */
  async toWrite(name: string, hash: string): Promise<GroupFile | undefined> {
    if (this.get(name) === undefined) await this.open(name, hash);
    return this.get(name);
  }

  /** Says that somebody wants the group. */
  touch(name: string, file: GroupFile): void {
    const { clock, orLog } = this.#parts;
    const now = clock.monotonic();
    if (now - (this.#touchedAt.get(name) ?? -Infinity) < TOUCH_AGE_MS) return;
    this.#touchedAt.set(name, now);
    void orLog(() => file.touch(new Date(clock.now())));
  }

  /** Its file is gone, or is not to be trusted. */
  drop(name: string): void {
    this.#open.delete(name);
  }

  /** Nothing is held open any more, also what is only being opened now. */
  close(): void {
    this.#isClosed = true;
    this.#endWait?.();
    this.#open.clear();
  }

  async #openFile(name: string, hash: string): Promise<void> {
    const { pathOf, blockSize, calls, direct } = this.#parts;
    const place = { path: pathOf(name), hash, blockSize, calls, direct };
    // One that cannot be opened counts as missing, and is not tried again with each read.
    this.#keep(name, GroupFile.missing(place));
    this.#keep(name, await GroupFile.open(place));
  }

  #keep(name: string, file: GroupFile): void {
    this.#open.set(name, file);
    if (this.#isClosed) this.#open.clear();
    else this.#lookLater();
  }

  #lookLater(): void {
    this.#endWait ??= this.#parts.clock.after(NAMES_AGE_MS, () => {
      void this.#parts
        .orLog(() => this.#dropNameless())
        .finally(() => {
          this.#endWait = null;
          if (!this.#isClosed && this.#open.size > 0) this.#lookLater();
        });
    });
  }

  async #dropNameless(): Promise<void> {
    for (const [name, file] of [...this.#open.entries()]) {
      if (!(await file.hasName()) && this.#open.peek(name) === file) this.drop(name);
    }
  }
}
