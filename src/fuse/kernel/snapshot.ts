/**
 * What does one opendir(3) see? A list that grows while it is read and in which nothing ever moves: names made or removed
 * meanwhile neither shift nor double others, and an offset means the same entry for as long as the folder is open.
 */
import { TextList } from '../../base/text-list.ts';
import { checkWaiting, type Waiter } from '../../base/waiter.ts';
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

/** In place of the identity, which folders have none of. */
const FOLDER = -1;
const FIRST_IDENTITIES = 16;

type Batches = AsyncIterator<readonly DirectoryEntry[], ShownListing | undefined>;

/** Asks for no more of the listing than was read. To be closed by whoever stops reading; who reads on after all is given the rest. */
export class Snapshot {
  readonly #source: SnapshotSource;
  /** Null: closed. */
  #batches: Batches | null;
  /** One request may be given up, and the next one go on where it was: only who closes the folder leaves. Null then. */
  #leaving: AbortController | null = null;
  /** What was known when it was closed, once somebody reads on. */
  #before: ReadonlySet<string> | null = null;
  /** Of what was given: there may be a million. */
  readonly #names = new TextList();
  #identities = new Float64Array();
  /** What comes after those. */
  #waiting: SnapshotEntry[] = [];
  #growing: Promise<void> | null = null;
  #isWhole = false;
  #shown: ShownListing | null = null;
  #toldCount = 0;
  #failure: { readonly error: unknown } | null = null;

  constructor(source: SnapshotSource) {
    this.#source = source;
    this.#batches = this.#list();
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
    return this.#names.length + this.#waiting.length;
  }

  /** How many of them the kernel was given with their attributes. */
  get toldCount(): number {
    return this.#toldCount;
  }

  /** The entry with this index was just given with its attributes. */
  noteTold(index: number): void {
    // What was given before is given by its name only, once the next part is asked for.
    if (index >= this.#names.length) this.#toldCount += 1;
  }

  /**
   * Resolves once the entry with this index is known, or that there is none. Where the listing broke off it rejects with the
   * listing's `FsError`, however often one asks: a listing that ends too soon would pass for a whole one. With `Interrupted` when
   * `waiter` has left: it may be closed by then, and would be listed again for nobody.
   */
  async reach(index: number, waiter: Waiter): Promise<void> {
    while (index >= this.length && !this.#isWhole) {
      if (this.#failure !== null) throw this.#failure.error;
      this.#growing ??= this.#grow();
      await this.#growing;
      checkWaiting(waiter);
    }
  }

  /** Undefined beyond what is known. */
  at(index: number): SnapshotEntry | GivenEntry | undefined {
    const given = this.#names.length;
    if (index >= given) return this.#waiting[index - given];
    const identity = this.#identities[index] ?? 0;
    const name = this.#names.at(index);
    return identity === FOLDER ? { name, kind: 'folder', identity: 0 } : { name, kind: 'file', identity };
  }

  /** The kernel has all entries before this one, and seldom asks for them again: their attributes may go. */
  givenUpTo(index: number): void {
    const given = this.#waiting.slice(0, Math.max(0, index - this.#names.length));
    if (given.length === 0) return;
    this.#waiting = this.#waiting.slice(given.length);
    for (const { entry } of given) {
      const { kind, identity } = entry.attributes;
      this.#note(this.#names.add(entry.name), kind === 'file' ? identity : FOLDER);
    }
  }

  /** Nobody reads on. */
  async close(): Promise<void> {
    const batches = this.#batches;
    this.#batches = null;
    // Thousands of listings are kept (kept-listings.ts), and what is aborted remembers where that was done.
    this.#leaving?.abort();
    this.#leaving = null;
    await batches?.return?.();
  }

  /** Never rejects: who reads there hears of a failure. */
  async #grow(): Promise<void> {
    const changes = this.#source.changes();
    const batches = (this.#batches ??= this.#listAgain());
    try {
      const result = await batches.next();
      if (result.done === true) this.#end(result.value);
      else this.#add(result.value, { takenAt: this.#source.now(), changes });
    } catch (error) {
      // Closed meanwhile, it has not broken off.
      if (batches === this.#batches) this.#failure = { error };
    } finally {
      this.#growing = null;
    }
  }

  #list(): Batches {
    this.#leaving = new AbortController();
    return this.#source.list({ signal: this.#leaving.signal })[Symbol.asyncIterator]();
  }

  /** Somebody went back to the beginning, or left, and another is still here. An end of what is known would pass for that of the folder. */
  #listAgain(): Batches {
    this.#before = new Set(
      Array.from(this.#all(), (seen) => ('entry' in seen ? seen.entry.name : seen.name)),
    );
    return this.#list();
  }

  #end(shown: ShownListing | undefined): void {
    this.#isWhole = true;
    // Nobody else would be shown what two listings gave.
    this.#shown = this.#before === null ? (shown ?? null) : null;
    this.#source.whole(this.#all());
  }

  *#all(): Generator<SnapshotEntry | GivenEntry, void> {
    for (let index = 0; index < this.length; index += 1) {
      const seen = this.at(index);
      if (seen !== undefined) yield seen;
    }
  }

  #add(entries: readonly DirectoryEntry[], batch: Batch): void {
    for (const entry of entries) {
      const isNew = this.#before?.has(entry.name) !== true;
      if (isNew && this.#source.isShown(entry)) this.#waiting.push({ entry, batch });
    }
  }

  #note(index: number, identity: number): void {
    if (index >= this.#identities.length) {
      const larger = new Float64Array(Math.max(FIRST_IDENTITIES, 2 * index));
      larger.set(this.#identities);
      this.#identities = larger;
    }
    this.#identities[index] = identity;
  }
}
