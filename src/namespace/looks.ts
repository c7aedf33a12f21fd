/**
 * How is one name looked up by the fewest requests that can tell? A folder has no HEAD, so a name of which nothing is known costs a HEAD
 * and a page side by side; a listing of the folder above tells of it, too, and of all others.
 */
import type { Clock } from '../base/clock.ts';
import type { CallOptions } from '../service/object-service.ts';
import { isRefusal, Refusal } from '../service/refusal.ts';
import type { BucketStore } from '../store/bucket-store.ts';
import { keyOfPath, nameOf, parentOf } from '../store/keys.ts';
import { recognise } from '../store/own-upload.ts';
import type { Version } from '../store/version.ts';
import { isDoubtful, type Entry, type FileEntryKnown, type FolderEntryKnown } from './entries.ts';
import { FoldersLookedInto } from './folders-looked-into.ts';
import type { KeptLocals } from './kept-locals.ts';
import type { Listed } from './known-folder.ts';
import type { KnownNames } from './known-names.ts';
import { walkFolder } from './walk.ts';
import type { WalksUnderWay } from './walks-under-way.ts';

export interface LooksParts {
  readonly store: BucketStore;
  readonly clock: Clock;
  readonly locals: KeptLocals;
  readonly known: KnownNames;
  readonly walks: WalksUnderWay;
}

/** A look that finds its name changed by us while it asked looks again; more often than this is a fault. */
const MAX_LOOKS = 4;

/** What is found is learned by `known`. */
export class Looks {
  readonly #store: BucketStore;
  readonly #clock: Clock;
  readonly #locals: KeptLocals;
  readonly #known: KnownNames;
  readonly #walks: WalksUnderWay;
  readonly #mayShare: boolean;
  readonly #lookedInto = new FoldersLookedInto();
  /** Of listings that are trusted no more: how many of their names were asked for one by one since. */
  readonly #passedOver = new WeakMap<Listed, number>();

  /** `mayShare`: whether a look may be answered by what others asked. */
  constructor({ store, clock, locals, known, walks }: LooksParts, mayShare: boolean) {
    this.#store = store;
    this.#clock = clock;
    this.#locals = locals;
    this.#known = known;
    this.#walks = walks;
    this.#mayShare = mayShare;
  }

  /** What `path`, whose folder exists, leads to. Rejects with the refusal of the service. */
  async find(path: string, signal?: AbortSignal): Promise<Entry> {
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      const entry = await this.#look(path, signal);
      // A change whose end is not known may have overtaken the answer: what was known before it answers nobody.
      if (entry !== undefined && !isDoubtful(entry)) return entry;
    }
    throw new Refusal('unavailable', 'the name changes faster than it can be looked up', {
      operation: 'headObject',
      subject: keyOfPath(path),
    });
  }

  /** As `Namespace.confirmFile`. */
  async file(path: string, ours: readonly Version[] = [], options?: CallOptions): Promise<Entry | undefined> {
    const question = this.#known.ask();
    const askedAt = this.#clock.monotonic();
    const keeping = this.#locals.ofFile(path);
    try {
      const head = await this.#store.head(keyOfPath(path), options);
      const { etags } = this.#store;
      const store = { digest: (key: string) => this.#store.digest(key, options), etags };
      await recognise(store, keyOfPath(path), head, ours);
      return this.#known.learn(path, question, askedAt, { ...head, kept: await keeping });
    } catch (error) {
      if (isRefusal(error, 'missing')) return this.#known.learn(path, question, askedAt, null);
      this.#known.forgetQuestion(question);
      throw error;
    }
  }

  /** One look by the cheapest request that can tell (request budget); undefined when an own change overtook it. */
  async #look(path: string, signal: AbortSignal | undefined): Promise<Entry | undefined> {
    const folder = parentOf(path);
    const parent = this.#known.folder(folder);
    const name = nameOf(path);
    const known = parent?.names.peek(name);
    // Of what a listing has just told wrongly, late as it was, the next one may tell the same.
    const mayBeWrong = isDoubtful(known) || parent?.isUnsure(name) === true;
    if (known === undefined && parent?.isOdd(name) === true) return this.#odd(path, signal);
    if (parent?.listed?.pages === 1 && !mayBeWrong) return this.#listed(path, signal);
    if (parent?.listed != null) this.#listAgain(folder, parent.listed);
    if (known?.kind === 'file') {
      const entry = await this.file(path, [], { signal });
      if (entry?.kind === 'file') return this.#byNow(path, entry);
    }
    if (known === undefined && this.#isShared(folder)) {
      await this.#walks.of(folder).begun({ signal });
      const shown = this.#known.recallFresh(path);
      if (shown !== undefined) return shown;
    }
    const told = await this.#besideEachOther(path, known, signal);
    if (told === 'overtaken') return undefined;
    if (told !== 'neither') return this.#byNow(path, told);
    // Others may have had it listed meanwhile.
    const fresh = known === undefined ? this.#known.listedFresh(folder) : undefined;
    const listed = fresh?.recall(name) ?? (await this.#listed(path, signal));
    // It has come just now, or the listing is late: who is asked last and by its name is right.
    return listed?.kind === 'file' ? this.file(path, [], { signal }) : listed;
  }

  /**
   * One name of a listing of several pages is asked for by itself. Once as many were as it has pages, the folder is listed beside them: a program
   * that looks at all its names, as `git status` or `rm -rf` do, would go on to ask for each. Nobody waits for that.
   */
  #listAgain(folder: string, listed: Listed): void {
    if (!this.#mayShare || this.#known.listedFor(folder) > 0) return;
    const before = this.#passedOver.get(listed) ?? 0;
    this.#passedOver.set(listed, before + 1);
    if (before !== listed.pages) return;
    const counted = (): void => {
      this.#passedOver.delete(listed);
    };
    // Who looks for a name hears from its own request what is wrong.
    this.#walks.of(folder).whole().then(counted, counted);
  }

  /** Of a name of which a listing tells only that there is a file: one that goes on telling so is wrong where the file itself is missing. */
  async #odd(path: string, signal: AbortSignal | undefined): Promise<Entry | undefined> {
    const question = this.#known.ask();
    try {
      const file = await this.file(path, [], { signal });
      if (file?.kind === 'file') return file;
      const askedAt = this.#clock.monotonic();
      return (await this.#listed(path, signal)) ?? this.#known.learnGone(path, question, askedAt);
    } finally {
      this.#known.forgetQuestion(question);
    }
  }

  /** Asks for the file, unless one is known to have gone, and for the folder. */
  async #besideEachOther(
    path: string,
    known: Entry | undefined,
    signal: AbortSignal | undefined,
  ): Promise<FileEntryKnown | FolderEntryKnown | 'neither' | 'overtaken'> {
    const question = this.#known.ask();
    try {
      const mayBeFile = known === undefined || known.kind === 'missing';
      const [file, asFolder] = await this.#lookedInto.during(parentOf(path), () =>
        Promise.all([mayBeFile ? this.file(path, [], { signal }) : undefined, this.#folder(path, signal)]),
      );
      // The page came first, and the folder may have been removed here before the other answer; or the file, which the memory does not tell.
      const isTold = asFolder === undefined && this.#known.recall(path) !== undefined;
      if (!isTold && this.#known.isChangedSince(question, path)) return 'overtaken';
      // Said last, so that a folder wins over a file of the same name whichever answer came first.
      if (asFolder !== undefined) this.#known.learnFolder(path, asFolder);
      // A HEAD's 404 brings back what was known: a folder, perhaps, which the page has just not shown.
      return asFolder ?? (file?.kind === 'file' ? file : 'neither');
    } finally {
      this.#known.forgetQuestion(question);
    }
  }

  /** What is known of `path` by now; `found` itself, where a listing that was asked for before it has ended since. */
  #byNow(path: string, found: Entry): Entry {
    const known = this.#known.recall(path);
    if (known === undefined) return found;
    const isOlder = !isDoubtful(known) && known.confirmedAt < found.confirmedAt;
    return isOlder ? found : known;
  }

  /**
   * Whether somebody is asked for another name in `folder` just now: then its first page tells of both, and mostly of all. Programs that
   * begin to work in a folder side by side would each ask for a name of theirs. Not where a page, or a listing of several, was seen not to be enough.
   */
  #isShared(folder: string): boolean {
    if (!this.#mayShare || !this.#lookedInto.has(folder)) return false;
    const known = this.#known.folder(folder);
    if (known?.isWhole === true) return false;
    const seen = known?.firstPage?.at;
    return seen === undefined || !this.#known.isFresh(folder, seen);
  }

  /** What the listing of the folder above, asked now or under way, says of `path`. */
  async #listed(path: string, signal: AbortSignal | undefined): Promise<Entry | undefined> {
    return (await this.#walks.of(parentOf(path)).whole({ signal })).recall(nameOf(path));
  }

  /** The folder at `path` if anything is listed under it; the page is kept as the beginning of its listing. */
  async #folder(path: string, signal: AbortSignal | undefined): Promise<FolderEntryKnown | undefined> {
    const question = this.#known.ask();
    try {
      for await (const walk of walkFolder(this.#store, this.#clock, path, { signal })) {
        if (!walk.names.existed) continue;
        if (walk.complete) {
          const kept = await this.#locals.ofFolder(path);
          this.#known.listings.applyWalk(path, question, { ...walk, kept });
        } else if (walk.names.skipped === (walk.page?.skipped ?? 0)) {
          // Pages before it held nothing: it is as good as the first.
          this.#known.listings.keepFirstPage(path, question, walk);
        }
        if (this.#known.isChangedSince(question, path)) return undefined;
        return { kind: 'folder', confirmedAt: walk.at, told: true };
      }
      return undefined;
    } finally {
      this.#known.forgetQuestion(question);
    }
  }
}
