/**
 * What does one opendir(3) see? A list that grows while it is read and in which nothing ever moves: names made or removed
 * meanwhile neither shift nor double others, and an offset means the same entry for as long as the folder is open.
 */
import type { Waiter } from '../../base/waiter.ts';
import type { Attributes, DirectoryEntry, ShownListing } from '../../filesystem/operations.ts';

/** Entries that became known together. */
export interface Batch {
  /** On the clock's `monotonic`: their attributes are as old as this. */
  readonly takenAt: number;
  /** The folder's `changes` before they were asked for. */
  readonly changes: number;
}

export interface SnapshotEntry {
  readonly entry: DirectoryEntry;
  readonly batch: Batch;
}

/** One that the kernel has been given. What is left of it is enough to give its name again, and to know whether it has changed. */
export interface GivenEntry {
  readonly name: string;
  readonly kind: Attributes['kind'];
  readonly identity: number;
}

export interface SnapshotSource {
  readonly list: (waiter: Waiter) => AsyncIterable<readonly DirectoryEntry[], ShownListing | undefined>;
  /** What the kernel calls the place before the first entry. */
  readonly firstPlace: number;
  /** The folder's `changes` now. */
  readonly changes: () => number;
  /** On the clock's `monotonic`. */
  readonly now: () => number;
  /** Whether an entry can be shown to the kernel. */
  readonly isShown: (entry: DirectoryEntry) => boolean;
  /** Called once all of the listing is known. */
  readonly whole: (entries: Iterable<SnapshotEntry | GivenEntry>) => void;
}

/** Asks for no more of the listing than was read. To be closed by whoever stops reading. */
export class Snapshot {
  readonly #source: SnapshotSource;
  readonly #batches: AsyncIterator<readonly DirectoryEntry[], ShownListing | undefined>;
  /** One request may be given up, and the next one go on where it was: only who closes the folder leaves. */
  readonly #leaving = new AbortController();
  /** A name alone: of a file that was given, of which there may be a million. */
  readonly #entries: (SnapshotEntry | GivenEntry | string)[] = [];
  /** Of files that were given, by index. */
  readonly #identities: number[] = [];
  #given = 0;
  #growing: Promise<void> | null = null;
  #isWhole = false;
  #shown: ShownListing | null = null;
  #toldCount = 0;
  #failure: { readonly error: unknown } | null = null;

  constructor(source: SnapshotSource) {
    this.#source = source;
    this.#batches = source.list({ signal: this.#leaving.signal })[Symbol.asyncIterator]();
  }

  get firstPlace(): number {
    return this.#source.firstPlace;
  }

  /** Whether all entries are known. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** For how long it would be the same again, once it is whole; null when nobody can tell. */
  get shown(): ShownListing | null {
    return this.#shown;
  }

  /** Entries known so far. */
  get length(): number {
    return this.#entries.length;
  }

  /** How many of them the kernel was given with their attributes. */
  get toldCount(): number {
    return this.#toldCount;
  }

  /** The entry with this index was just given with its attributes. */
  noteTold(index: number): void {
    // What was given before is given by its name only, once the next part is asked for.
    if (index >= this.#given) this.#toldCount += 1;
  }

  /**
   * Resolves once the entry with this index is known, or that there is none. Where the listing broke off it rejects with the
   * listing's `FsError`, however often one asks: a listing that ends too soon would pass for a whole one.
   */
  async reach(index: number): Promise<void> {
    while (index >= this.#entries.length && !this.#isWhole) {
      if (this.#failure !== null) throw this.#failure.error;
      this.#growing ??= this.#grow();
      await this.#growing;
    }
  }

  /** Undefined beyond what is known. */
  at(index: number): SnapshotEntry | GivenEntry | undefined {
    const seen = this.#entries[index];
    if (typeof seen !== 'string') return seen;
    return { name: seen, kind: 'file', identity: this.#identities[index] ?? 0 };
  }

  /** The kernel has all entries before this one, and seldom asks for them again: their attributes may go. */
  givenUpTo(index: number): void {
    for (; this.#given < Math.min(index, this.#entries.length); this.#given += 1) {
      const seen = this.at(this.#given);
      if (seen === undefined || !('entry' in seen)) continue;
      const { name, attributes } = seen.entry;
      const { kind, identity } = attributes;
      this.#identities[this.#given] = identity;
      this.#entries[this.#given] = kind === 'file' ? name : { name, kind, identity };
    }
  }

  /** Nobody reads on. */
  async close(): Promise<void> {
    this.#leaving.abort();
    await this.#batches.return?.();
  }

  /** Never rejects: who reads there hears of a failure. */
  async #grow(): Promise<void> {
    const changes = this.#source.changes();
    try {
      const result = await this.#batches.next();
      if (result.done === true) this.#end(result.value);
      else this.#add(result.value, { takenAt: this.#source.now(), changes });
    } catch (error) {
      this.#failure = { error };
    } finally {
      this.#growing = null;
    }
  }

  #end(shown: ShownListing | undefined): void {
    this.#isWhole = true;
    this.#shown = shown ?? null;
    this.#source.whole(this.#all());
  }

  *#all(): Generator<SnapshotEntry | GivenEntry, void> {
    for (let index = 0; index < this.#entries.length; index += 1) {
      const seen = this.at(index);
      if (seen !== undefined) yield seen;
    }
  }

  #add(entries: readonly DirectoryEntry[], batch: Batch): void {
    for (const entry of entries) {
      if (this.#source.isShown(entry)) this.#entries.push({ entry, batch });
    }
  }
}
