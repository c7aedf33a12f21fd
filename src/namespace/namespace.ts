/**
 * Which names exist in the bucket, and what are they?
 *
 * The service answers with one-level pages and with HEAD; programs ask for one path at a time, thousands of times. Answers
 * are trusted for the TTL. Three difficulties: an answer in flight must not undo our own change (own-changes.ts); a folder
 * has no HEAD, so one unlisted name costs a HEAD and a page side by side (find, below); and a folder that we emptied stays
 * (kept-folders.ts).
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { SingleFlight } from '../base/single-flight.ts';
import { Refusal, isRefusal } from '../service/refusal.ts';
import type { BucketStore } from '../store/bucket-store.ts';
import { recognise } from '../store/own-upload.ts';
import { childOf, keyOfPath, nameOf, parentOf } from '../store/keys.ts';
import { Version, type VersionFacts } from '../store/version.ts';
import type { Entry, Found, Outcome } from './entries.ts';
import { KeptFolders } from './kept-folders.ts';
import { KnownFolder } from './known-folder.ts';
import { OwnChanges, type Question } from './own-changes.ts';
import { walkFolder, type Walk } from './walk.ts';

export interface NamespaceParts {
  readonly store: BucketStore;
  readonly clock: Clock;
  readonly log: Log;
  /** For how long an answer is trusted, milliseconds. */
  readonly ttl: number;
  /** How many names are remembered in all. A folder with more is listed anew each time. */
  readonly maxNames: number;
}

/** A probe's page is there for the listing that most often follows at once, milliseconds. */
const FIRST_PAGE_LIFETIME = 1000;
/** A lookup that finds its name changed by us while it asked looks again; more often than this is a fault. */
const MAX_LOOKS = 4;

export class Namespace {
  readonly kept = new KeptFolders();
  readonly #store: BucketStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #ttl: number;
  readonly #folders: LRUCache<string, KnownFolder>;
  readonly #changes = new OwnChanges<Outcome>();
  readonly #finds = new SingleFlight<string, Entry>();
  readonly #walks = new SingleFlight<string, KnownFolder>();
  readonly #complained = new Set<string>();
  #trustedFrom = Number.NEGATIVE_INFINITY;

  constructor(parts: NamespaceParts) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#log = parts.log;
    this.#ttl = parts.ttl;
    this.#folders = new LRUCache({
      maxSize: parts.maxNames,
      sizeCalculation: (folder) => folder.names.size + 1,
    });
  }

  /** Trust nothing that was learned before now. Own changes, kept folders and local attributes stay. */
  refresh(): void {
    this.#trustedFrom = this.#clock.monotonic();
  }

  /** Whether something confirmed at `at` is still to be trusted. */
  isFresh(at: number): boolean {
    return at > this.#trustedFrom && this.#clock.monotonic() - at < this.#ttl;
  }

  /** For how many more milliseconds something confirmed at `at` may be trusted. */
  freshFor(at: number): number {
    return at <= this.#trustedFrom ? 0 : Math.max(0, at + this.#ttl - this.#clock.monotonic());
  }

  /** What is known of `path`, fresh or not, without a request. */
  recall(path: string): Entry | undefined {
    if (path === '/') return { kind: 'folder', confirmedAt: this.#clock.monotonic(), told: true };
    return this.#folders.get(parentOf(path))?.recall(nameOf(path));
  }

  /** What `path` leads to. Asks the service when nothing fresh is known. */
  async lookup(path: string): Promise<Found> {
    const known = this.#recallFresh(path);
    if (known !== undefined) return known;
    const parent = await this.lookup(parentOf(path));
    if (parent.kind === 'file') return { kind: 'under-file' };
    if (parent.kind !== 'folder') return parent;
    // Looking for the parent may have listed it.
    const foundMeanwhile = this.#recallFresh(path);
    if (foundMeanwhile !== undefined) return foundMeanwhile;
    return this.#ttl === 0 ? this.#find(path) : this.#finds.run(path, () => this.#find(path));
  }

  /** All names of a folder that is known to exist. Asks the service for its pages when nothing fresh is known. */
  async list(path: string): Promise<KnownFolder> {
    const known = this.#folders.get(path);
    if (known?.listed != null && this.isFresh(known.listed.at)) return known;
    return this.#walk(path);
  }

  /** Before a request whose answer will be handed to `learn`. */
  ask(): Question {
    return this.#changes.ask();
  }

  /**
   * The answer to a question about a file: its facts, or null for 404. Returns what is to be believed of the name now: an
   * own change since the question wins. Settles the question.
   */
  learn(path: string, question: Question, askedAt: number, facts: VersionFacts | null): Entry | undefined {
    const folder = this.#remembered(parentOf(path));
    const name = nameOf(path);
    const change = this.#changes.since(question, parentOf(path), name);
    this.#changes.settle(question);
    if (change === undefined) folder.names.set(name, this.#entryOf(folder.names.get(name), facts, askedAt));
    this.#folders.set(parentOf(path), folder);
    return folder.recall(name);
  }

  /** A request whose answer will not come. */
  forgetQuestion(question: Question): void {
    this.#changes.settle(question);
  }

  /** Something contradicts what is known of `path`: the next look asks the service. */
  doubt(path: string): void {
    const entry = this.#folders.get(parentOf(path))?.names.get(nameOf(path));
    if (entry !== undefined) this.#setName(path, { ...entry, confirmedAt: Number.NEGATIVE_INFINITY });
  }

  /** An own change of `path` is done. Seen from now on, whatever answers in flight say. */
  changed(path: string, outcome: Outcome): void {
    const parent = parentOf(path);
    const folder = this.#remembered(parent);
    this.#changes.record(parent, nameOf(path), outcome);
    folder.firstPage = null;
    const known = folder.names.get(nameOf(path));
    this.#apply(folder, nameOf(path), outcome, known && { ...known, confirmedAt: this.#clock.monotonic() });
    this.#folders.set(parent, folder);
    if (outcome.kind === 'missing') this.#keepIfEmptied(parent, folder);
    // The key of what was stored makes every folder on its way real (§3.2).
    else if (outcome.kind !== 'unknown') this.#dropKeptAbove(path);
  }

  /**
   * A folder was made by us. It is empty as far as we know, which is as old as our knowledge that it did not exist: others
   * may have put something into it since.
   */
  folderMade(path: string): void {
    const before = this.recall(path);
    const at = before?.kind === 'missing' ? before.confirmedAt : this.#clock.monotonic();
    this.changed(path, { kind: 'folder' });
    const folder = new KnownFolder();
    folder.listed = { at, pages: 1, hidden: 0, told: false };
    this.#folders.set(path, folder);
    this.kept.drop(path);
  }

  /** A kept folder was made real by us. */
  folderMadeReal(path: string): void {
    this.kept.drop(path);
    this.changed(path, { kind: 'folder' });
  }

  /** A folder was removed by us. */
  folderRemoved(path: string): void {
    this.kept.drop(path);
    this.#folders.delete(path);
    this.changed(path, { kind: 'missing' });
  }

  /** The pages of `path`, asked now, whatever is known. */
  relist(path: string): Promise<KnownFolder> {
    this.#walks.forget(path);
    return this.#walk(path);
  }

  #recallFresh(path: string): Entry | undefined {
    const entry = this.recall(path);
    return entry !== undefined && (path === '/' || this.isFresh(entry.confirmedAt)) ? entry : undefined;
  }

  async #find(path: string): Promise<Entry> {
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      const entry = await this.#look(path);
      // A change whose end is not known may have overtaken the answer: what was known before it answers nobody.
      if (entry !== undefined && entry.confirmedAt !== Number.NEGATIVE_INFINITY) return entry;
    }
    throw new Refusal('unavailable', 'the name changes faster than it can be looked up', {
      operation: 'headObject',
      subject: keyOfPath(path),
    });
  }

  /** One look by the cheapest request that can tell (request budget); undefined when an own change overtook it. */
  async #look(path: string): Promise<Entry | undefined> {
    const parent = this.#folders.get(parentOf(path));
    const name = nameOf(path);
    if (parent?.listed?.pages === 1) return (await this.#walk(parentOf(path))).recall(name);
    const before = parent?.names.get(name)?.kind;
    if (before === 'file') {
      const entry = await this.confirmFile(path);
      if (entry?.kind === 'file') return entry;
    }
    const [file, asFolder] = await Promise.all([
      before === undefined || before === 'missing' ? this.confirmFile(path) : undefined,
      this.#probeFolder(path),
    ]);
    // Said last, so that a folder wins over a file of the same name whichever answer came first.
    if (asFolder !== undefined) this.#setName(path, asFolder);
    if (asFolder !== undefined || file?.kind === 'file') return this.recall(path);
    return (await this.#walk(parentOf(path))).recall(name);
  }

  /**
   * Asks with one HEAD what file is at `path`, and returns what is to be believed of the name now; undefined when a 404 says
   * nothing, since no file was known. When it may be one of `ours`, uploads without a name, no doubt is left (own-upload.ts).
   * Rejects with a refusal other than `missing`.
   */
  async confirmFile(path: string, ours: readonly Version[] = []): Promise<Entry | undefined> {
    const question = this.#changes.ask();
    const askedAt = this.#clock.monotonic();
    try {
      const head = await this.#store.head(keyOfPath(path));
      await recognise(this.#store, keyOfPath(path), head, ours);
      return this.learn(path, question, askedAt, head);
    } catch (error) {
      if (isRefusal(error, 'missing')) return this.#learnMissing(path, question, askedAt);
      this.#changes.settle(question);
      throw error;
    }
  }

  /** A HEAD's 404 says nothing about a folder of that name: only a file that was known is known to be gone. */
  #learnMissing(path: string, question: Question, askedAt: number): Entry | undefined {
    if (this.recall(path)?.kind === 'file') return this.learn(path, question, askedAt, null);
    this.#changes.settle(question);
    return this.recall(path);
  }

  /** The folder at `path` if anything is listed under it; the page is kept as the beginning of its listing. */
  async #probeFolder(path: string): Promise<Entry | undefined> {
    const question = this.#changes.ask();
    try {
      const walk = await walkFolder(this.#store, this.#clock, path, { stopAtFirstEntry: true });
      if (!walk.names.existed) return undefined;
      if (walk.complete) this.#applyWalk(path, question, walk);
      else if (this.#changes.allSince(question, path).size === 0) this.#keepFirstPage(path, walk);
      const outcome = this.#changes.since(question, parentOf(path), nameOf(path));
      return outcome === undefined ? { kind: 'folder', confirmedAt: walk.at, told: true } : undefined;
    } finally {
      this.#changes.settle(question);
    }
  }

  #keepFirstPage(path: string, walk: Walk): void {
    const folder = this.#remembered(path);
    if (walk.firstPage !== null) folder.firstPage = { page: walk.firstPage, at: walk.at };
    this.#folders.set(path, folder);
  }

  #walk(path: string): Promise<KnownFolder> {
    return this.#ttl === 0 ? this.#walkNow(path) : this.#walks.run(path, () => this.#walkNow(path));
  }

  async #walkNow(path: string): Promise<KnownFolder> {
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      const folder = await this.#walkOnce(path);
      // Not a whole listing any more when a change whose end is not known overtook it: only a new walk tells of that name.
      if (folder.listed !== null) return folder;
    }
    throw new Refusal('unavailable', 'the folder changes faster than it can be listed', {
      operation: 'listObjects',
      subject: keyOfPath(path),
    });
  }

  /** Whether a page seen at `at` may begin a listing that is trusted for a whole TTL from its last page on. */
  #isRecent(at: number): boolean {
    return this.isFresh(at) && this.#clock.monotonic() - at < FIRST_PAGE_LIFETIME;
  }

  async #walkOnce(path: string): Promise<KnownFolder> {
    const question = this.#changes.ask();
    const seen = this.#folders.get(path)?.firstPage ?? null;
    const first = seen !== null && this.#isRecent(seen.at) ? seen.page : undefined;
    try {
      const walk = await walkFolder(this.#store, this.#clock, path, { first });
      return this.#applyWalk(path, question, walk);
    } finally {
      this.#changes.settle(question);
    }
  }

  /** A whole listing: kept whole, but for the names that we changed meanwhile. */
  #applyWalk(path: string, question: Question, walk: Walk): KnownFolder {
    const before = this.#folders.get(path);
    const folder = new KnownFolder();
    for (const name of walk.names.folders)
      folder.names.set(name, { kind: 'folder', confirmedAt: walk.at, told: true });
    for (const [name, facts] of walk.names.files) {
      if (!folder.names.has(name))
        folder.names.set(name, this.#entryOf(before?.names.get(name), facts, walk.at));
    }
    const hidden = walk.names.hidden.size + walk.names.skipped;
    folder.listed = { at: walk.at, pages: walk.pages, hidden, told: true };
    const changes = this.#changes.allSince(question, path);
    this.#mergeKept(path, folder, changes);
    for (const [name, outcome] of changes) this.#apply(folder, name, outcome, before?.names.get(name));
    this.#folders.set(path, folder);
    this.#complainOnce(path, hidden);
    return folder;
  }

  #mergeKept(path: string, folder: KnownFolder, changes: ReadonlyMap<string, Outcome>): void {
    for (const name of this.kept.namesIn(path)) {
      if (changes.has(name)) continue;
      const keptPath = childOf(path, name);
      const shown = folder.names.get(name);
      if (shown === undefined) {
        this.kept.markAbsent(keptPath);
        folder.names.set(name, { kind: 'folder', confirmedAt: folder.listed?.at ?? 0, told: false });
      } else {
        this.kept.drop(keptPath);
      }
    }
  }

  #apply(folder: KnownFolder, name: string, outcome: Outcome, known?: Entry): void {
    const confirmedAt = known?.confirmedAt ?? this.#clock.monotonic();
    switch (outcome.kind) {
      case 'file':
        folder.names.set(name, { kind: 'file', version: outcome.version, confirmedAt });
        break;
      case 'folder':
        folder.names.set(name, { kind: 'folder', confirmedAt, told: false });
        break;
      case 'missing':
        folder.names.set(name, { kind: 'missing', confirmedAt });
        break;
      case 'unknown':
        // What it was is remembered, never trusted: if it still is, those who have it open go on undisturbed.
        if (known?.kind === 'file')
          folder.names.set(name, { ...known, confirmedAt: Number.NEGATIVE_INFINITY });
        else folder.names.delete(name);
        folder.listed = null;
        break;
    }
  }

  #entryOf(before: Entry | undefined, facts: VersionFacts | null, confirmedAt: number): Entry {
    if (facts === null) return { kind: 'missing', confirmedAt };
    const same = before?.kind === 'file' && before.version.matches(facts);
    return { kind: 'file', version: same ? before.version : Version.told(facts), confirmedAt };
  }

  #setName(path: string, entry: Entry): void {
    const folder = this.#remembered(parentOf(path));
    folder.names.set(nameOf(path), entry);
    this.#folders.set(parentOf(path), folder);
  }

  #remembered(path: string): KnownFolder {
    return this.#folders.get(path) ?? new KnownFolder();
  }

  #keepIfEmptied(path: string, folder: KnownFolder): void {
    const empty = folder.isEmpty();
    if (path === '/' || empty === false) return;
    if (this.kept.get(path)?.emptied === 'surely') return;
    this.kept.keep(path, empty === true ? 'surely' : 'maybe');
    // A listing that left while the last file was there shows the folder, which proves nothing any more.
    this.#changes.record(parentOf(path), nameOf(path), { kind: 'folder' });
  }

  #dropKeptAbove(path: string): void {
    for (let folder = parentOf(path); folder !== '/'; folder = parentOf(folder)) this.kept.drop(folder);
  }

  #complainOnce(path: string, hidden: number): void {
    if (hidden === 0 || this.#complained.has(path)) return;
    this.#complained.add(path);
    this.#log.warn('some keys cannot be shown as names and are left out', { folder: path, hidden });
  }
}
