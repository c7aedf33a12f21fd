/**
 * What is remembered of the names in the bucket, and what may still be believed of it? Asks nothing itself.
 *
 * Two things must survive the answers of the service: our own changes, which an answer in flight must not undo
 * (own-changes.ts), and folders that we emptied (kept-folders.ts).
 */
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { nameOf, parentOf } from '../store/keys.ts';
import { asOf, type Entry, type FolderEntryKnown, type Outcome } from './entries.ts';
import type { FolderMemory } from './folder-memory.ts';
import { KeptFolders } from './kept-folders.ts';
import type { KeptLocals } from './kept-locals.ts';
import { KnownFolder } from './known-folder.ts';
import { takeInFile, takeInFolder } from './late-answers.ts';
import { ListedNames } from './listed-names.ts';
import { OwnChanges, type Question } from './own-changes.ts';
import type { FileTold } from './told.ts';
import { Trust } from './trust.ts';

export interface KnownNamesParts {
  readonly clock: Clock;
  readonly log: Log;
  /** For how long an answer is trusted, milliseconds. */
  readonly ttl: number;
  /** A folder that takes more than there is room for is listed anew each time. */
  readonly folders: FolderMemory;
  /** What outlives the process of attributes set here. */
  readonly locals: KeptLocals;
}

/** One mount's memory of names. No method waits or rejects. */
export class KnownNames {
  readonly kept: KeptFolders;
  /** What listings say. */
  readonly listings: ListedNames;
  readonly #clock: Clock;
  readonly #locals: KeptLocals;
  readonly #trust: Trust;
  readonly #folders: FolderMemory;
  readonly #changes = new OwnChanges<Outcome>();

  constructor(parts: KnownNamesParts) {
    this.#clock = parts.clock;
    this.#locals = parts.locals;
    this.#trust = new Trust(parts.clock, parts.ttl);
    this.#folders = parts.folders;
    this.kept = new KeptFolders({ clock: parts.clock, folders: this.#folders, changes: this.#changes });
    this.listings = new ListedNames({
      folders: this.#folders,
      changes: this.#changes,
      kept: this.kept,
      log: parts.log,
    });
  }

  /** Trust nothing that was learned of `path`, or below it, before now. Own changes, kept folders and local attributes stay. */
  refresh(path: string): void {
    this.#trust.forget(path);
  }

  /** Whether something about `path`, confirmed at `at`, is still to be trusted. */
  isFresh(path: string, at: number): boolean {
    return this.freshFor(path, at) > 0;
  }

  /** For how many more milliseconds something about `path`, confirmed at `at`, may be trusted. */
  freshFor(path: string, at: number): number {
    return this.#trust.leftOf(path, at);
  }

  /** What is known of `path`, fresh or not, without a request. */
  recall(path: string): Entry | undefined {
    return this.#certain(path) ?? this.#folders.get(parentOf(path))?.recall(nameOf(path));
  }

  /** What is known of `path` and still to be trusted, or was asked for after `since`, monotonic milliseconds, and not forgotten. */
  recallFresh(path: string, since = Number.POSITIVE_INFINITY): Entry | undefined {
    const entry = this.recall(path);
    return this.#certain(path) ?? this.#ifFresh(path, entry) ?? this.#ifAskedSince(path, entry, since);
  }

  /** As `recallFresh`, for who only looks (names.ts): a program may ask for the attributes of a million files. */
  glanceFresh(path: string): Entry | undefined {
    const entry = this.#folders.get(parentOf(path))?.glance(nameOf(path));
    return this.#certain(path) ?? this.#ifFresh(path, entry);
  }

  /** For how many more milliseconds what is known of the name `path` may be trusted. */
  trustedFor(path: string, entry: Entry): number {
    return this.#trust.leftOf(path, asOf(entry), this.#folders.get(parentOf(path))?.walked);
  }

  /**
   * The folder at `path` when its whole listing is known and still to be trusted. `isShown`: names of which it need not tell, since
   * the reader has something of his own there.
   */
  listedFresh(path: string, isShown?: (name: string) => boolean): KnownFolder | undefined {
    const folder = this.#folders.get(path);
    return folder?.isWholeBut(isShown) === true && this.listedFor(path) > 0 ? folder : undefined;
  }

  /** For how many more milliseconds the listing of the folder at `path` may be trusted. */
  listedFor(path: string): number {
    const listed = this.#folders.get(path)?.listed ?? null;
    return listed === null ? 0 : this.#trust.leftOf(path, listed.since, listed);
  }

  /** What is known of the folder at `path`, fresh or not. */
  folder(path: string): KnownFolder | undefined {
    return this.#folders.get(path);
  }

  /** Keys in the folders known so far that cannot be shown as names. */
  hiddenKeys(): number {
    return [...this.#folders.all()].reduce((sum, { hidden }) => sum + hidden, 0);
  }

  /** Before a request whose answer will be handed to `learn`. */
  ask(): Question {
    return this.#changes.ask();
  }

  /**
   * The answer to a question about a file: its facts, or null for 404. Returns what it says of the name, or what was known where a 404 says
   * nothing; an own change since the question wins. Settles the question.
   */
  learn(path: string, question: Question, askedAt: number, told: FileTold | null): Entry | undefined {
    const folder = this.#folders.of(parentOf(path));
    const isChanged = this.isChangedSince(question, path);
    this.#changes.settle(question);
    if (isChanged) return folder.recall(nameOf(path));
    const answer = takeInFile(folder, nameOf(path), told, askedAt);
    if (answer !== undefined) this.#folders.set(parentOf(path), folder);
    return answer;
  }

  /** Nothing has the name `path`, whatever listings before and after the question tell. Returns what is known by now; undefined: nothing. */
  learnGone(path: string, question: Question, askedAt: number): Entry | undefined {
    const folder = this.#folders.of(parentOf(path));
    if (!this.isChangedSince(question, path) && folder.isOdd(nameOf(path))) {
      folder.names.set(nameOf(path), { kind: 'missing', confirmedAt: askedAt });
      this.#folders.set(parentOf(path), folder);
    }
    return folder.recall(nameOf(path));
  }

  /** The answer to a question about the folder at `path`, which is there. */
  learnFolder(path: string, told: FolderEntryKnown): void {
    const folder = this.#folders.of(parentOf(path));
    takeInFolder(folder, nameOf(path), told);
    this.#folders.set(parentOf(path), folder);
  }

  /** A request whose answer will not come. */
  forgetQuestion(question: Question): void {
    this.#changes.settle(question);
  }

  /** Something contradicts what is known of `path`: the next look asks the service. */
  doubt(path: string): void {
    const folder = this.#folders.get(parentOf(path));
    if (folder === undefined) return;
    folder.doubt(nameOf(path));
    this.#folders.set(parentOf(path), folder);
  }

  /** An own change of `path` is done. Seen from now on, whatever answers in flight say. */
  changed(path: string, outcome: Outcome): void {
    const folder = this.#apply(path, outcome);
    if (outcome.kind === 'missing') {
      // A listing that left, and came back, while the request was on its way has shown the folder no more.
      if (this.kept.keepIfEmptied(parentOf(path), folder)) this.#showAbove(path);
    } else if (outcome.kind !== 'unknown') {
      // The key of what was stored makes every folder on its way real (§3.2).
      this.kept.dropAbove(path);
      this.#showAbove(path);
    }
  }

  /** As `changed`, of a file that is gone and was never on the service: to its folder there nothing has happened. */
  neverStored(path: string): void {
    this.#apply(path, { kind: 'missing' });
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
    const at = before?.kind === 'missing' ? asOf(before) : this.#clock.monotonic();
    this.changed(path, { kind: 'folder', isNew: this.recallFresh(path)?.kind === 'missing' });
    const folder = new KnownFolder();
    folder.listed = { since: at, at, pages: 1, hidden: 0, told: false, folders: [] };
    this.#folders.set(path, folder);
    this.kept.drop(path);
  }

  /** A folder that the service may not have is to stay in sight; it is made real after a while. */
  folderStays(path: string): void {
    this.changed(path, { kind: 'folder' });
    this.kept.keep(path, 'surely');
  }

  /** A kept folder was made real by us. */
  folderMadeReal(path: string): void {
    this.changed(path, { kind: 'folder' });
    this.kept.drop(path);
  }

  /** A folder was removed by us. */
  folderRemoved(path: string): void {
    this.kept.drop(path);
    this.#folders.delete(path);
    if (this.#folders.get(parentOf(path))?.names.peek(nameOf(path))?.kind === 'file') {
      // A listing has just told so: the file that was left out for it.
      this.changed(path, { kind: 'unknown' });
      this.#unlist(parentOf(path));
      return;
    }
    const isAllSeen = this.listedFresh(parentOf(path))?.hidden === 0;
    this.changed(path, { kind: 'missing' });
    if (isAllSeen) return;
    // A file of its name may have been left out for it: the next look asks. The folder itself is gone, whatever that tells.
    this.doubt(path);
    this.#unlist(parentOf(path));
  }

  /** Whether we changed `path` since the question left. */
  isChangedSince(question: Question, path: string): boolean {
    return this.#changes.since(question, parentOf(path), nameOf(path)) !== undefined;
  }

  /** Returns what is known of the folder by now. */
  #apply(path: string, outcome: Outcome): KnownFolder {
    const parent = parentOf(path);
    const folder = this.#folders.of(parent);
    this.#changes.standNoMore(parent, nameOf(path));
    this.#changes.record(parent, nameOf(path), outcome);
    folder.firstPage = null;
    const known = folder.names.get(nameOf(path));
    folder.apply(nameOf(path), outcome, known, this.#clock.monotonic());
    this.#folders.set(parent, folder);
    this.#locals.changed(path, outcome);
    return folder;
  }

  /** What is so whatever anybody was told. */
  #certain(path: string): Entry | undefined {
    const now = this.#clock.monotonic();
    if (path === '/') return { kind: 'folder', confirmedAt: now, told: true };
    return this.#isGoing(path) ? { kind: 'missing', confirmedAt: now } : undefined;
  }

  /** Only a listing tells how many names are left out of the folder now. */
  #unlist(path: string): void {
    const folder = this.#folders.get(path);
    if (folder !== undefined) folder.listed = null;
  }

  #ifFresh(path: string, entry: Entry | undefined): Entry | undefined {
    return entry !== undefined && this.trustedFor(path, entry) > 0 ? entry : undefined;
  }

  #ifAskedSince(path: string, entry: Entry | undefined, since: number): Entry | undefined {
    if (entry === undefined || asOf(entry) <= since) return undefined;
    return this.#trust.isForgotten(path, asOf(entry)) ? undefined : entry;
  }

  #isGoing(path: string): boolean {
    return this.#changes.standing(parentOf(path), nameOf(path)) !== undefined;
  }

  /** Every folder on the way to `path` is there now: also one of which it is known that we, or others, had removed it. */
  #showAbove(path: string): void {
    for (let folder = parentOf(path); folder !== '/'; folder = parentOf(folder)) {
      const known = this.#folders.get(parentOf(folder))?.recall(nameOf(folder));
      if (known?.kind === 'missing' && !this.#isGoing(folder)) this.#apply(folder, { kind: 'folder' });
    }
  }
}
