/**
 * What is remembered of the names in the bucket, and what may still be believed of it? Asks nothing itself.
 *
 * Two things must survive the answers of the service: our own changes, which an answer in flight must not undo
 * (own-changes.ts), and folders that we emptied (kept-folders.ts).
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { childOf, nameOf, parentOf } from '../store/keys.ts';
import type { Entry, NamedEntry, Outcome } from './entries.ts';
import { KeptFolders } from './kept-folders.ts';
import type { KeptLocals } from './kept-locals.ts';
import { KnownFolder } from './known-folder.ts';
import { Forgotten } from './forgotten.ts';
import { OwnChanges, type Question } from './own-changes.ts';
import { entryOf, type FileTold, type FolderTold } from './told.ts';
import type { Walk } from './walk.ts';

export interface KnownNamesParts {
  readonly clock: Clock;
  readonly log: Log;
  /** For how long an answer is trusted, milliseconds. */
  readonly ttl: number;
  /** How many names are remembered in all. A folder with more is listed anew each time. */
  readonly maxNames: number;
  /** What outlives the process of attributes set here. */
  readonly locals: KeptLocals;
}

/** One mount's memory of names. No method waits or rejects. */
export class KnownNames {
  readonly kept = new KeptFolders();
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #locals: KeptLocals;
  readonly #ttl: number;
  readonly #folders: LRUCache<string, KnownFolder>;
  readonly #changes = new OwnChanges<Outcome>();
  readonly #forgotten = new Forgotten();
  readonly #complained = new Set<string>();

  constructor(parts: KnownNamesParts) {
    this.#clock = parts.clock;
    this.#log = parts.log;
    this.#locals = parts.locals;
    this.#ttl = parts.ttl;
    this.#folders = new LRUCache({
      maxSize: parts.maxNames,
      sizeCalculation: (folder) => folder.names.size + 1,
    });
  }

  /** Trust nothing that was learned of `path`, or below it, before now. Own changes, kept folders and local attributes stay. */
  refresh(path: string): void {
    const now = this.#clock.monotonic();
    this.#forgotten.forget(path, now, now - this.#ttl);
  }

  /** Whether something about `path`, confirmed at `at`, is still to be trusted. */
  isFresh(path: string, at: number): boolean {
    return this.freshFor(path, at) > 0;
  }

  /** For how many more milliseconds something about `path`, confirmed at `at`, may be trusted. */
  freshFor(path: string, at: number): number {
    if (this.#forgotten.isForgotten(path, at)) return 0;
    return Math.max(0, at + this.#ttl - this.#clock.monotonic());
  }

  /** What is known of `path`, fresh or not, without a request. */
  recall(path: string): Entry | undefined {
    if (path === '/') return { kind: 'folder', confirmedAt: this.#clock.monotonic(), told: true };
    if (this.#isGoing(path)) return { kind: 'missing', confirmedAt: this.#clock.monotonic() };
    return this.#folders.get(parentOf(path))?.recall(nameOf(path));
  }

  /** What is known of `path` and still to be trusted. */
  recallFresh(path: string): Entry | undefined {
    const entry = this.recall(path);
    const isSure = path === '/' || this.#isGoing(path);
    return entry !== undefined && (isSure || this.isFresh(path, entry.confirmedAt)) ? entry : undefined;
  }

  /** What is known of the folder at `path`, fresh or not. */
  folder(path: string): KnownFolder | undefined {
    return this.#folders.get(path);
  }

  /** Keys in the folders known so far that cannot be shown as names. */
  hiddenKeys(): number {
    return [...this.#folders.values()].reduce((sum, { listed }) => sum + (listed?.hidden ?? 0), 0);
  }

  /** Before a request whose answer will be handed to `learn`. */
  ask(): Question {
    return this.#changes.ask();
  }

  /**
   * The answer to a question about a file: its facts, or null for 404. Returns what is to be believed of the name now: an
   * own change since the question wins. Settles the question.
   */
  learn(path: string, question: Question, askedAt: number, told: FileTold | null): Entry | undefined {
    const folder = this.#remembered(parentOf(path));
    const name = nameOf(path);
    const change = this.#changes.since(question, parentOf(path), name);
    this.#changes.settle(question);
    if (change === undefined) {
      const recollection = { before: folder.names.get(name), at: askedAt, kept: told?.kept };
      const missing = { kind: 'missing', confirmedAt: askedAt } as const;
      folder.names.set(name, told === null ? missing : entryOf(name, told, recollection));
    }
    this.#remember(parentOf(path), folder);
    return folder.recall(name);
  }

  /**
   * A HEAD's 404 says nothing about a folder of that name: only a file that was known is known to be gone. Settles the question.
   */
  learnMissing(path: string, question: Question, askedAt: number): Entry | undefined {
    if (this.recall(path)?.kind === 'file') return this.learn(path, question, askedAt, null);
    this.#changes.settle(question);
    return this.recall(path);
  }

  /** A request whose answer will not come. */
  forgetQuestion(question: Question): void {
    this.#changes.settle(question);
  }

  /** Something contradicts what is known of `path`: the next look asks the service. */
  doubt(path: string): void {
    const entry = this.#folders.get(parentOf(path))?.names.get(nameOf(path));
    if (entry !== undefined) this.setName(path, { ...entry, confirmedAt: Number.NEGATIVE_INFINITY });
  }

  /** An own change of `path` is done. Seen from now on, whatever answers in flight say. */
  changed(path: string, outcome: Outcome): void {
    const parent = parentOf(path);
    const folder = this.#remembered(parent);
    this.#changes.settled(parent, nameOf(path));
    this.#changes.record(parent, nameOf(path), outcome);
    folder.firstPage = null;
    const known = folder.names.get(nameOf(path));
    folder.apply(nameOf(path), outcome, known, this.#clock.monotonic());
    this.#remember(parent, folder);
    this.#locals.changed(path, outcome);
    if (outcome.kind === 'missing') this.#keepIfEmptied(parent, folder);
    // The key of what was stored makes every folder on its way real (§3.2).
    else if (outcome.kind !== 'unknown') this.#dropKeptAbove(path);
  }

  /** The file at `path` is gone for everybody here, though the service will only be asked later; until the next `changed`. */
  going(path: string): void {
    this.changed(path, { kind: 'missing' });
    this.#changes.stand(parentOf(path), nameOf(path), { kind: 'missing' });
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

  /** Whether we changed `path` since the question left. */
  isChangedSince(question: Question, path: string): boolean {
    return this.#changes.since(question, parentOf(path), nameOf(path)) !== undefined;
  }

  /** What is to be believed of `path`, whatever was known. */
  setName(path: string, entry: Entry): void {
    const folder = this.#remembered(parentOf(path));
    folder.names.set(nameOf(path), entry);
    this.#remember(parentOf(path), folder);
  }

  /** The first page of a longer listing, unless we changed something in the folder since the question left. */
  keepFirstPage(path: string, question: Question, walk: Walk): void {
    if (this.#changes.allSince(question, path).size > 0) return;
    const folder = this.#remembered(path);
    if (walk.page !== null) folder.firstPage = { page: walk.page, at: walk.at };
    this.#remember(path, folder);
  }

  /**
   * A page of a walk that goes on: its names are known from now on, but for those that we changed since the question left.
   * Returns them.
   */
  applyPage(path: string, question: Question, { names, added, at, kept }: FolderTold): readonly NamedEntry[] {
    const folder = this.#remembered(path);
    const changes = this.#changes.allSince(question, path);
    const entries = added
      .filter((name) => !changes.has(name))
      .map((name): NamedEntry => {
        const facts = names.folders.has(name) ? undefined : names.files.get(name);
        if (facts === undefined) return [name, { kind: 'folder', confirmedAt: at, told: true }];
        return [name, entryOf(name, facts, { before: folder.names.get(name), at, kept })];
      });
    for (const [name, entry] of entries) folder.names.set(name, entry);
    this.#remember(path, folder);
    return entries;
  }

  /** What is to be believed now of `entries` that a page gave, but for names that we changed since the question left. */
  recallPage(path: string, question: Question, entries: readonly NamedEntry[]): readonly NamedEntry[] {
    const folder = this.#folders.get(path);
    const changes = this.#changes.allSince(question, path);
    return entries
      .filter(([name]) => !changes.has(name))
      .map(([name, entry]) => [name, folder?.recall(name) ?? entry]);
  }

  /** A whole listing: kept whole, but for the names that we changed meanwhile. */
  applyWalk(path: string, question: Question, walk: FolderTold): KnownFolder {
    const before = this.#folders.get(path);
    const folder = new KnownFolder();
    for (const name of walk.names.folders)
      folder.names.set(name, { kind: 'folder', confirmedAt: walk.at, told: true });
    for (const [name, facts] of walk.names.files) {
      if (folder.names.has(name)) continue;
      const recollection = { before: before?.names.get(name), at: walk.at, kept: walk.kept };
      folder.names.set(name, entryOf(name, facts, recollection));
    }
    const hidden = walk.names.hidden.size + walk.names.skipped;
    folder.listed = { at: walk.at, pages: walk.pages, hidden, told: true };
    const changes = this.#changes.allSince(question, path);
    this.#mergeKept(path, folder, changes);
    for (const [name, outcome] of changes) {
      const known = before?.names.get(name);
      folder.apply(name, outcome, known, known?.confirmedAt ?? this.#clock.monotonic());
    }
    this.#remember(path, folder);
    const isKnown = [...changes.values()].every(({ kind }) => kind !== 'unknown');
    if (isKnown) walk.kept.onlyThese(folder.names);
    this.#complainOnce(path, hidden);
    return folder;
  }

  #isGoing(path: string): boolean {
    return this.#changes.standing(parentOf(path), nameOf(path)) !== undefined;
  }

  #mergeKept(path: string, folder: KnownFolder, changes: ReadonlyMap<string, Outcome>): void {
    for (const name of this.kept.namesIn(path)) {
      if (changes.has(name)) continue;
      const keptPath = childOf(path, name);
      const shown = folder.names.get(name);
      if (shown === undefined) {
        // What is only on the way to one that is kept goes with it.
        this.kept.markAbsent(keptPath);
        folder.names.set(name, { kind: 'folder', confirmedAt: folder.listed?.at ?? 0, told: false });
      } else {
        this.kept.drop(keptPath);
      }
    }
  }

  #remembered(path: string): KnownFolder {
    return this.#folders.get(path) ?? new KnownFolder();
  }

  #remember(path: string, folder: KnownFolder): void {
    // Only what is set anew is measured anew.
    this.#folders.delete(path);
    this.#folders.set(path, folder);
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
