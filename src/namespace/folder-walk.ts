/**
 * How do several readers follow one walk of a folder, each from its beginning?
 *
 * The walk goes on by itself, page after page, so that what it finds belongs together however slowly somebody reads; it stops
 * when nobody reads any more. A name once given cannot be taken back: so no page gives a name that we have changed since the
 * walk began, or a file that a later page may turn into a folder. What the pages leave out, the end has.
 */
import type { Clock } from '../base/clock.ts';
import { TextList } from '../base/text-list.ts';
import { RETURN_TIME, STAYING, unlessLeaving, type Waiter } from '../base/waiter.ts';
import { Refusal } from '../service/refusal.ts';
import type { BucketStore } from '../store/bucket-store.ts';
import { childOf, keyOfPath } from '../store/keys.ts';
import type { Entry, NamesBatch } from './entries.ts';
import type { KeptLocals } from './kept-locals.ts';
import type { KnownFolder } from './known-folder.ts';
import type { KnownNames } from './known-names.ts';
import type { Question } from './own-changes.ts';
import { nothingTaken, type TakenDown } from './told.ts';
import { walkFolder, type SeenPage } from './walk.ts';
import { wholeBatch } from './whole-batch.ts';

export interface FolderWalkParts {
  readonly store: BucketStore;
  readonly clock: Clock;
  readonly known: KnownNames;
  readonly locals: KeptLocals;
  /** Whether no other walk of the folder is under way. */
  readonly isAlone: () => boolean;
}

type End = { readonly folder: KnownFolder } | { readonly failure: unknown };

/** A probe's page is there for the listing that most often follows at once, milliseconds. */
const FIRST_PAGE_LIFETIME = 1000;
/** Names that are known before a folder is listed: of more it is not worth the while to know which a walk tells of. */
const MOST_UNTOLD = 10_000;
/** A walk that a change of unknown end overtook is made again; more often than this is a fault. */
const MAX_WALKS = 4;

/** One walk under way. */
export class FolderWalk {
  readonly #parts: FolderWalkParts;
  readonly #path: string;
  /** What each page gave, for readers that come later. */
  readonly #pages: TextList[] = [];
  readonly #abort = new AbortController();
  /** The end that was planned when nobody read does not come. */
  #keep: () => void = () => undefined;
  #question: Question | null = null;
  /** What the pages told, until the walk is whole. */
  #taken = nothingTaken();
  #readers = 0;
  /** Those who wait for the first page, and read no further. */
  #lookers = 0;
  #end: End | null = null;
  #ended: Promise<void> = Promise.resolve();
  #news: Promise<void> = Promise.resolve();
  #tellNews: () => void = () => undefined;

  private constructor(parts: FolderWalkParts, path: string) {
    this.#parts = parts;
    this.#path = path;
    this.#awaitNews();
  }

  /** A walk that has begun. One that nobody joins ends with its first page, which is then known. */
  static begin(parts: FolderWalkParts, path: string): FolderWalk {
    const walk = new FolderWalk(parts, path);
    walk.#ended = walk.#run();
    return walk;
  }

  /** Resolves when the walk is at its end, however it ended. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Resolves when its first page is known, or when it has ended, however it did. Nobody reads on for that. */
  async begun(waiter: Waiter = STAYING): Promise<void> {
    this.#keep();
    this.#lookers += 1;
    try {
      while (this.#end === null && this.#pages.length === 0) await unlessLeaving(waiter, this.#news);
    } finally {
      this.#lookers -= 1;
      this.#planEnd();
    }
  }

  /** Whether somebody may still join. */
  get isUnderWay(): boolean {
    return this.#end === null;
  }

  /**
   * What the folder holds, from the walk's beginning: what the pages gave, then the whole folder. Rejects, wherever the reader
   * is by then, with the refusal of the service, or with `Interrupted`.
   */
  async *batches(waiter: Waiter = STAYING): AsyncGenerator<NamesBatch, void> {
    this.#join();
    try {
      for (let next = 0; this.#end === null;) {
        const page = this.#pages[next];
        if (page === undefined) await unlessLeaving(waiter, this.#news);
        else {
          next += 1;
          yield { names: page, peek: (name) => this.#believed(name), whole: null };
        }
      }
      const found = this.#outcome(this.#end);
      // A slow reader may come when others have listed the folder again.
      const latest = this.#parts.known.folder(this.#path);
      yield wholeBatch(this.#parts.known, this.#path, latest?.isWhole === true ? latest : found);
    } finally {
      this.#leave();
    }
  }

  /** The whole folder. Rejects with the refusal of the service, or with `Interrupted`. */
  async whole(waiter: Waiter = STAYING): Promise<KnownFolder> {
    this.#join();
    try {
      while (this.#end === null) await unlessLeaving(waiter, this.#news);
      return this.#outcome(this.#end);
    } finally {
      this.#leave();
    }
  }

  #join(): void {
    this.#keep();
    this.#readers += 1;
  }

  #leave(): void {
    this.#readers -= 1;
    this.#planEnd();
  }

  /** Somebody has left. A page that stalls would keep its connection though nobody wants it any more. */
  #planEnd(): void {
    if (this.#readers + this.#lookers > 0 || this.#end !== null) return;
    this.#keep();
    this.#keep = this.#parts.clock.after(RETURN_TIME, () => {
      this.#finish({ failure: this.#notRead() });
      this.#abort.abort();
    });
  }

  /** To the end, or until nobody reads. Never rejects: readers hear what went wrong. */
  async #run(): Promise<void> {
    try {
      await this.#walk();
    } catch (failure) {
      this.#finish({ failure });
    }
    if (this.#end !== null && 'folder' in this.#end) return;
    // A page that was asked for ahead has nobody to take it, and may stall.
    this.#parts.clock.after(RETURN_TIME, () => {
      this.#abort.abort();
    });
  }

  async #walk(): Promise<void> {
    for (let walks = 0; walks < MAX_WALKS; walks += 1) {
      const folder = await this.#walkOnce();
      if (folder === null) return;
      // Not a whole listing when a change whose end is not known overtook it: only a new walk tells of that name.
      if (folder.isWhole) {
        this.#finish({ folder });
        return;
      }
    }
    throw this.#refusal('unavailable', 'the folder changes faster than it can be listed');
  }

  /** Null when nobody reads any more. */
  async #walkOnce(): Promise<KnownFolder | null> {
    const { store, clock, known, locals } = this.#parts;
    const question = known.ask();
    // Not before the question: what changes since then is not taken from here. It is read while the first page is under way.
    const keeping = locals.ofFolder(this.#path);
    this.#question = question;
    this.#pages.fill(new TextList());
    const goesOn = (): boolean => this.#readers > 0;
    const options = { first: this.#seenPage(), goesOn, signal: this.#abort.signal };
    try {
      for await (const walk of walkFolder(store, clock, this.#path, options)) {
        const told = { ...walk, kept: await keeping };
        if (walk.complete) return known.listings.applyWalk(this.#path, question, told, this.#taken);
        // Begun anew: who joins now shall not see what was found before. The places stay, for those who are past them.
        if (walk.pages === 1) {
          this.#pages.fill(new TextList());
          this.#taken = this.#begin();
        }
        this.#pages.push(TextList.of(known.listings.applyPage(this.#path, question, told, this.#taken)));
        this.#announce();
        if (this.#readers > 0) continue;
        if (walk.pages === 1) known.listings.keepFirstPage(this.#path, question, walk);
        this.#finish({ failure: this.#notRead() });
        return null;
      }
    } finally {
      this.#question = null;
      known.forgetQuestion(question);
    }
    throw this.#refusal('malformed', 'the listing has no last page');
  }

  /**
   * Where the walk takes down what its pages tell. Where the folder is not listed, that is what is known of it already: two copies of a million
   * names would fill the memory. Not where another walk still adds names to it, which this one may find gone.
   */
  #begin(): TakenDown {
    const { known: names, isAlone } = this.#parts;
    const known = names.folder(this.#path);
    if (known?.listed !== null || known.names.size > MOST_UNTOLD || !isAlone()) return nothingTaken();
    return { folder: known, untold: new Set(known.names.keys()) };
  }

  /** The page of a probe, if it may begin a listing that is trusted for a whole TTL from its last page on. */
  #seenPage(): SeenPage | null {
    const { known, clock } = this.#parts;
    const seen = known.folder(this.#path)?.firstPage ?? null;
    if (seen === null) return null;
    return known.isFresh(this.#path, seen.at) && clock.monotonic() - seen.at < FIRST_PAGE_LIFETIME
      ? seen
      : null;
  }

  #believed(name: string): Entry | undefined {
    const { known } = this.#parts;
    // Between two walks nothing is under way that could tell what we changed: the next one gives the name.
    if (this.#question === null || known.isChangedSince(this.#question, childOf(this.#path, name)))
      return undefined;
    return known.folder(this.#path)?.glance(name) ?? this.#taken.folder.glance(name);
  }

  #outcome(end: End): KnownFolder {
    if ('folder' in end) return end.folder;
    throw end.failure;
  }

  #finish(end: End): void {
    this.#keep();
    this.#end ??= end;
    // Who reads on is given the whole folder.
    this.#pages.length = 0;
    this.#taken = nothingTaken();
    this.#announce();
  }

  #announce(): void {
    this.#tellNews();
    this.#awaitNews();
  }

  #awaitNews(): void {
    this.#news = new Promise((resolve) => {
      this.#tellNews = resolve;
    });
  }

  #notRead(): Refusal {
    return this.#refusal('aborted', 'nobody reads the listing any more');
  }

  #refusal(kind: 'unavailable' | 'aborted' | 'malformed', reason: string): Refusal {
    return new Refusal(kind, reason, { operation: 'listObjects', subject: keyOfPath(this.#path) });
  }
}
