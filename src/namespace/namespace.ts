/**
 * Which names exist in the bucket, and what are they?
 *
 * The service answers with one-level pages and with HEAD; programs ask for one path at a time, thousands of times. Answers
 * are trusted for the TTL (known-names.ts). The difficulty is to ask little: a folder has no HEAD, so one unlisted name costs
 * a HEAD and a page side by side.
 */
import type { Clock } from '../base/clock.ts';
import { SingleFlight } from '../base/single-flight.ts';
import { STAYING, unlessLeaving, type Waiter } from '../base/waiter.ts';
import { Refusal, isRefusal } from '../service/refusal.ts';
import type { CallOptions } from '../service/object-service.ts';
import type { BucketStore } from '../store/bucket-store.ts';
import { recognise } from '../store/own-upload.ts';
import { keyOfPath, nameOf, parentOf } from '../store/keys.ts';
import type { Version, VersionFacts } from '../store/version.ts';
import type { Entry, FolderEntryKnown, Found, NamesBatch } from './entries.ts';
import { FoldersLookedInto } from './folders-looked-into.ts';
import { isWithin } from './forgotten.ts';
import type { KeptLocals } from './kept-locals.ts';
import type { KnownFolder } from './known-folder.ts';
import { ListingsAhead } from './listings-ahead.ts';
import { KnownNames, type KnownNamesParts } from './known-names.ts';
import { walkFolder } from './walk.ts';
import { WalksUnderWay } from './walks-under-way.ts';
import { wholeBatch } from './whole-batch.ts';

export interface NamespaceParts extends KnownNamesParts {
  readonly store: BucketStore;
}

/** A lookup that finds its name changed by us while it asked looks again; more often than this is a fault. */
const MAX_LOOKS = 4;

/** By name. */
export type ListedFiles = ReadonlyMap<string, VersionFacts>;

/** The names of one bucket. Rejects with the refusal of the service; what is fresh is answered without it. */
export class Namespace {
  /** What was learned so far; own changes are told to it. */
  readonly known: KnownNames;
  readonly #store: BucketStore;
  readonly #clock: Clock;
  readonly #locals: KeptLocals;
  readonly #ttl: number;
  readonly #finds: SingleFlight<string, Entry>;
  readonly #ahead: ListingsAhead;
  readonly #walks: WalksUnderWay;
  readonly #lookedInto = new FoldersLookedInto();

  constructor(parts: NamespaceParts) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#locals = parts.locals;
    this.#ttl = parts.ttl;
    this.#finds = new SingleFlight(parts.clock);
    this.known = new KnownNames(parts);
    const { store, clock, ttl, locals } = parts;
    this.#walks = new WalksUnderWay({ store, clock, locals, known: this.known }, ttl > 0);
    this.#ahead = new ListingsAhead({ clock, ttl, known: this.known, ask: (path) => this.#askAhead(path) });
  }

  /** What `path` leads to. Asks the service when nothing fresh is known. Rejects with `Interrupted` when `waiter` leaves. */
  async lookup(path: string, waiter: Waiter = STAYING): Promise<Found> {
    const known = this.known.recallFresh(path);
    if (known !== undefined) return known;
    const parent = await this.lookup(parentOf(path), waiter);
    if (parent.kind === 'file') return { kind: 'under-file' };
    if (parent.kind !== 'folder') return parent;
    // Looking for the parent may have listed it.
    const foundMeanwhile = this.known.recallFresh(path);
    if (foundMeanwhile !== undefined) return foundMeanwhile;
    return this.#ask(path, waiter);
  }

  /**
   * As `lookup`, for whoever opens what is there: a file is confirmed within the TTL, though names of a long listing are trusted
   * for longer (known-folder.ts).
   */
  async lookupToOpen(path: string, waiter: Waiter = STAYING): Promise<Found> {
    const known = this.known.recallFresh(path);
    const isOld = known?.kind === 'file' && !this.known.isFresh(path, known.confirmedAt);
    return isOld ? this.#ask(path, waiter) : this.lookup(path, waiter);
  }

  /** All names of a folder that is known to exist. Asks the service for its pages when nothing fresh is known. */
  async list(path: string, waiter: Waiter = STAYING): Promise<KnownFolder> {
    return this.known.listedFresh(path) ?? this.#walks.of(path).whole(waiter);
  }

  /**
   * As `list`, in batches as the pages arrive; the last is the whole folder. Looking up what a batch gave asks nothing while it
   * is fresh. Who stops before the end has to call `return`: a walk that nobody follows ends. Rejects with `Interrupted` when
   * `waiter` leaves. `isShown`: whether the reader shows a file of his own under a name, whatever is known of it.
   */
  async *batches(
    path: string,
    waiter?: Waiter,
    isShown?: (name: string) => boolean,
  ): AsyncGenerator<NamesBatch, void> {
    const known = this.known.listedFresh(path, isShown);
    // First what the program waits for.
    const walk = known === undefined ? this.#walks.of(path) : undefined;
    this.#ahead.listing(path);
    if (known !== undefined) yield wholeBatch(this.known, path, known);
    else if (walk !== undefined) yield* walk.batches(waiter);
  }

  /** A program is given the listing of `path` that it, or another, was given before. */
  listedAgain(path: string): void {
    this.#ahead.listing(path);
  }

  /**
   * Asks with one HEAD what file is at `path`, and returns what that says of the name (`KnownNames.learn`); undefined when a 404 says
   * nothing, since no file was known. When it may be one of `ours`, uploads without a name, no doubt is left (own-upload.ts).
   * Rejects with a refusal other than `missing`.
   */
  async confirmFile(
    path: string,
    ours: readonly Version[] = [],
    options?: CallOptions,
  ): Promise<Entry | undefined> {
    const question = this.known.ask();
    const askedAt = this.#clock.monotonic();
    const keeping = this.#locals.ofFile(path);
    try {
      const head = await this.#store.head(keyOfPath(path), options);
      const store = { digest: (key: string) => this.#store.digest(key, options) };
      await recognise(store, keyOfPath(path), head, ours);
      return this.known.learn(path, question, askedAt, { ...head, kept: await keeping });
    } catch (error) {
      if (isRefusal(error, 'missing')) return this.known.learn(path, question, askedAt, null);
      this.known.forgetQuestion(question);
      throw error;
    }
  }

  /** Trusts nothing of `path`, or below it, that was asked before now: the next look asks the service. */
  refresh(path: string): void {
    this.known.refresh(path);
    // Whoever looks from now on joins nobody who asked before.
    this.#walks.leaveBehind((walked) => isWithin(walked, path) || walked === parentOf(path));
    this.#finds.forgetAll((found) => isWithin(found, path));
  }

  /** The pages of `path`, asked now, whatever is known. */
  relist(path: string): Promise<KnownFolder> {
    this.#walks.leaveBehind((walked) => walked === path);
    const known = this.known.folder(path);
    if (known !== undefined) known.firstPage = null;
    return this.#walks.of(path).whole();
  }

  /** The files of a folder as the service lists them now, also those that are going; and when it was asked, monotonic milliseconds. */
  async filesNow(path: string): Promise<{ readonly files: ListedFiles; readonly askedAt: number }> {
    const askedAt = this.#clock.monotonic();
    let files: ListedFiles = new Map();
    for await (const walk of walkFolder(this.#store, this.#clock, path)) files = walk.names.files;
    return { files, askedAt };
  }

  #ask(path: string, waiter: Waiter): Promise<Entry> {
    if (this.#ttl === 0) return unlessLeaving(waiter, this.#find(path, waiter.signal));
    return this.#finds.run(path, (signal) => this.#find(path, signal), waiter);
  }

  async #find(path: string, signal?: AbortSignal): Promise<Entry> {
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      const entry = await this.#look(path, signal);
      // A change whose end is not known may have overtaken the answer: what was known before it answers nobody.
      if (entry !== undefined && entry.confirmedAt !== Number.NEGATIVE_INFINITY) return entry;
    }
    throw new Refusal('unavailable', 'the name changes faster than it can be looked up', {
      operation: 'headObject',
      subject: keyOfPath(path),
    });
  }

  /** One look by the cheapest request that can tell (request budget); undefined when an own change overtook it. */
  async #look(path: string, signal: AbortSignal | undefined): Promise<Entry | undefined> {
    const folder = parentOf(path);
    const parent = this.known.folder(folder);
    const name = nameOf(path);
    const known = parent?.names.peek(name);
    const before = known?.kind;
    // Of what a listing has just told wrongly, late as it was, the next one may tell the same.
    const isDoubtful = known?.confirmedAt === Number.NEGATIVE_INFINITY || parent?.isUnsure(name) === true;
    if (parent?.listed?.pages === 1 && !isDoubtful) return this.#listed(path, signal);
    if (before === 'file') {
      const entry = await this.confirmFile(path, [], { signal });
      if (entry?.kind === 'file') return this.#byNow(path, entry);
    }
    if (known === undefined && this.#isSharedLook(folder)) {
      await this.#walks.of(folder).begun({ signal });
      const shown = this.known.recallFresh(path);
      if (shown !== undefined) return shown;
    }
    const question = this.known.ask();
    let file: Entry | undefined;
    let asFolder: FolderEntryKnown | undefined;
    try {
      [file, asFolder] = await this.#lookedInto.during(folder, () =>
        Promise.all([
          before === undefined || before === 'missing' ? this.confirmFile(path, [], { signal }) : undefined,
          this.#probeFolder(path, signal),
        ]),
      );
      // The page came first, and the folder may have been removed here before the other answer; or the file, which the memory does not tell.
      const isTold = asFolder === undefined && this.known.recall(path) !== undefined;
      if (!isTold && this.known.isChangedSince(question, path)) return undefined;
    } finally {
      this.known.forgetQuestion(question);
    }
    // Said last, so that a folder wins over a file of the same name whichever answer came first.
    if (asFolder !== undefined) this.known.learnFolder(path, asFolder);
    // A HEAD's 404 brings back what was known: a folder, perhaps, which the page has just not shown.
    const found = asFolder ?? (file?.kind === 'file' ? file : undefined);
    if (found !== undefined) return this.#byNow(path, found);
    // Others may have had it listed meanwhile.
    const fresh = known === undefined ? this.known.listedFresh(folder) : undefined;
    const listed = fresh?.recall(name) ?? (await this.#listed(path, signal));
    // It has come just now, or the listing is late: who is asked last and by its name is right.
    return listed?.kind === 'file' ? this.confirmFile(path, [], { signal }) : listed;
  }

  /** What is known of `path` by now; `found` itself, where a listing that was asked for before it has ended since. */
  #byNow(path: string, found: Entry): Entry {
    const known = this.known.recall(path);
    if (known === undefined) return found;
    const isOlder = known.confirmedAt !== Number.NEGATIVE_INFINITY && known.confirmedAt < found.confirmedAt;
    return isOlder ? found : known;
  }

  /**
   * Whether somebody is asked for another name in `folder` just now: then its first page tells of both, and mostly of all. Programs that
   * begin to work in a folder side by side would each ask for a name of theirs. Not where a page, or a listing of several, was seen not to be enough.
   */
  #isSharedLook(folder: string): boolean {
    if (this.#ttl === 0 || !this.#lookedInto.has(folder)) return false;
    const known = this.known.folder(folder);
    if (known?.isWhole === true) return false;
    const seen = known?.firstPage?.at;
    return seen === undefined || !this.known.isFresh(folder, seen);
  }

  /** What the listing of the folder above, asked now or under way, says of `path`. */
  async #listed(path: string, signal: AbortSignal | undefined): Promise<Entry | undefined> {
    return (await this.#walks.of(parentOf(path)).whole({ signal })).recall(nameOf(path));
  }

  /** The folder at `path` if anything is listed under it; the page is kept as the beginning of its listing. */
  async #probeFolder(path: string, signal: AbortSignal | undefined): Promise<FolderEntryKnown | undefined> {
    const question = this.known.ask();
    try {
      for await (const walk of walkFolder(this.#store, this.#clock, path, { signal })) {
        if (!walk.names.existed) continue;
        if (walk.complete) {
          const kept = await this.#locals.ofFolder(path);
          this.known.listings.applyWalk(path, question, { ...walk, kept });
        } else if (walk.names.skipped === (walk.page?.skipped ?? 0)) {
          // Pages before it held nothing: it is as good as the first.
          this.known.listings.keepFirstPage(path, question, walk);
        }
        if (this.known.isChangedSince(question, path)) return undefined;
        return { kind: 'folder', confirmedAt: walk.at, told: true };
      }
      return undefined;
    } finally {
      this.known.forgetQuestion(question);
    }
  }

  /** Without a reader, a walk ends with its first page. */
  async #askAhead(path: string): Promise<boolean> {
    const walk = this.#walks.of(path);
    await walk.ended;
    return this.known.listedFresh(path) !== undefined;
  }
}
