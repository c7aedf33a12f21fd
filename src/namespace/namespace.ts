/**
 * Which names exist in the bucket, and what are they?
 *
 * The service answers with one-level pages and with HEAD; programs ask for one path at a time, thousands of times. Answers
 * are trusted for the TTL (known-names.ts). The difficulty is to ask little (looks.ts, listings-ahead.ts).
 */
import type { Clock } from '../base/clock.ts';
import { SingleFlight } from '../base/single-flight.ts';
import { STAYING, unlessLeaving, type Waiter } from '../base/waiter.ts';
import type { CallOptions } from '../service/object-service.ts';
import type { BucketStore } from '../store/bucket-store.ts';
import { isWithin, parentOf } from '../store/keys.ts';
import type { Version, VersionFacts } from '../store/version.ts';
import type { Entry, Found, NamesBatch } from './entries.ts';
import type { KnownFolder } from './known-folder.ts';
import { ListingsAhead } from './listings-ahead.ts';
import { KnownNames, type KnownNamesParts } from './known-names.ts';
import { Looks } from './looks.ts';
import { walkFolder } from './walk.ts';
import { WalksUnderWay } from './walks-under-way.ts';
import { wholeBatch } from './whole-batch.ts';

export interface NamespaceParts extends KnownNamesParts {
  readonly store: BucketStore;
}

/** By name. */
export type ListedFiles = ReadonlyMap<string, VersionFacts>;

/** The names of one bucket. Rejects with the refusal of the service; what is fresh is answered without it. */
export class Namespace {
  /** What was learned so far; own changes are told to it. */
  readonly known: KnownNames;
  readonly #store: BucketStore;
  readonly #clock: Clock;
  readonly #ttl: number;
  readonly #finds: SingleFlight<string, Entry>;
  readonly #ahead: ListingsAhead;
  readonly #walks: WalksUnderWay;
  readonly #looks: Looks;

  constructor(parts: NamespaceParts) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#ttl = parts.ttl;
    this.#finds = new SingleFlight(parts.clock);
    this.known = new KnownNames(parts);
    const { store, clock, ttl, locals } = parts;
    this.#walks = new WalksUnderWay({ store, clock, locals, known: this.known }, ttl > 0);
    this.#looks = new Looks({ store, clock, locals, known: this.known, walks: this.#walks }, ttl > 0);
    this.#ahead = new ListingsAhead({ clock, ttl, known: this.known, ask: (path) => this.#askAhead(path) });
  }

  /** What `path` leads to. Asks the service when nothing fresh is known. Rejects with `Interrupted` when `waiter` leaves. */
  lookup(path: string, waiter: Waiter = STAYING): Promise<Found> {
    return this.#lookup(path, waiter, this.#clock.monotonic());
  }

  /** `since`: what was asked for after that, whoever asked, need not be asked for again: the folders above may have told of it, however short the TTL. */
  async #lookup(path: string, waiter: Waiter, since: number): Promise<Found> {
    const known = this.known.recallFresh(path, since);
    if (known !== undefined) return known;
    const parent = await this.#lookup(parentOf(path), waiter, since);
    if (parent.kind === 'file') return { kind: 'under-file' };
    if (parent.kind !== 'folder') return parent;
    // Looking for the parent may have listed it.
    const foundMeanwhile = this.known.recallFresh(path, since);
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
  confirmFile(
    path: string,
    ours: readonly Version[] = [],
    options?: CallOptions,
  ): Promise<Entry | undefined> {
    return this.#looks.file(path, ours, options);
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
    if (this.#ttl === 0) return unlessLeaving(waiter, this.#looks.find(path, waiter.signal));
    return this.#finds.run(path, (signal) => this.#looks.find(path, signal), waiter);
  }

  /** Without a reader, a walk ends with its first page. */
  async #askAhead(path: string): Promise<boolean> {
    const walk = this.#walks.of(path);
    await walk.ended;
    return this.known.listedFresh(path) !== undefined;
  }
}
