/**
 * Which folders will a program list next that reads a tree? (`find`, `du`, `ls -R`, `grep -r`)
 *
 * Such programs go down into each folder before they go on with the next one, in the order in which the listing has them. Each
 * listing that comes as foreseen makes the view longer; the first that does not ends it, and everything is to be learned anew.
 */
import { childOf, nameOf, parentOf } from '../store/keys.ts';

/** What the reader needs to know of the tree. */
export interface TreeView {
  /** Names of the first folders in the folder at `path`, in the order of its listing; undefined when no listing is fresh. */
  readonly foldersIn: (path: string, most: number) => readonly string[] | undefined;
  /** Whether the folder at `path` is known to have several pages: one that was asked for ahead is soon too old to begin its listing. */
  readonly isLong: (path: string) => boolean;
  /** Milliseconds for which a listing is worth something. */
  readonly lifetime: number;
}

/** A folder on the way down to the one listed last. */
interface Level {
  readonly path: string;
  /** Undefined until its listing is known. */
  folders: readonly string[] | undefined;
  /** Of `folders`: what comes next. */
  next: number;
}

/** When folders at one depth were listed, monotonic milliseconds. */
interface Pace {
  readonly last: number;
  /** Between the last two; undefined after the first. */
  readonly interval: number | undefined;
}

/** Folders that are looked at ahead, at most. */
const WIDEST = 8;
/** Listings that come as foreseen before the first is asked for unasked: fewer is what `ls -l a b` does, too. */
const HITS_BEFORE = 2;

/** One program, as far as one can tell. */
export class TreeReader {
  readonly #view: TreeView;
  readonly #levels: Level[] = [];
  /** By depth. */
  readonly #paces: Pace[] = [];
  #hits = 0;
  /** Folders deeper than this are left out by the program. */
  #deepest = Number.POSITIVE_INFINITY;

  /** `root`: what the program has listed first. */
  constructor(view: TreeView, root: string) {
    this.#view = view;
    this.#levels.push(levelOf(root));
  }

  /** What it listed last. */
  get at(): string | undefined {
    return this.#levels.at(-1)?.path;
  }

  /** Whether `path` may be what it lists next: it is in a folder on the way down. */
  mayGoTo(path: string): boolean {
    if (path === '/') return false;
    const parent = parentOf(path);
    return this.#levels.some((level) => level.path === parent);
  }

  /** It lists `path`, which it may go to, at `now`. */
  goTo(path: string, now: number): void {
    const depth = this.#levels.findLastIndex((level) => level.path === parentOf(path)) + 1;
    const isFromShort = this.at !== undefined && !this.#view.isLong(this.at);
    const hasLeftNothing = this.#leave(depth);
    const isNext = this.#isNext(path, depth - 1);
    this.#hits = isFromShort && hasLeftNothing && isNext ? this.#hits + 1 : 0;
    this.#levels.push(levelOf(path));
    const before = this.#paces[depth];
    this.#paces[depth] = { last: now, interval: before && now - before.last };
  }

  /** Something went wrong: nothing more is foreseen until it is learned anew. */
  giveUp(): void {
    this.#hits = 0;
  }

  /** Folders without a fresh listing that it will soon list, the next one first. */
  foreseen(now: number): readonly string[] {
    const most = this.#hits < HITS_BEFORE ? 0 : Math.min(WIDEST, 2 ** (this.#hits - HITS_BEFORE));
    const ahead: Ahead = { most, count: 0, unlisted: [] };
    for (let depth = this.#levels.length - 1; depth >= 0; depth -= 1) {
      const level = this.#levels[depth];
      if (level === undefined) break;
      const folders = this.#foldersOf(level).slice(level.next, level.next + most);
      if (!this.#lookAt(level.path, folders, { depth: depth + 1, now, ahead })) break;
    }
    return ahead.unlisted;
  }

  /** Goes up to the folders at `depth`. False when it leaves out folders that it should have listed. */
  #leave(depth: number): boolean {
    let isAsForeseen = true;
    for (let level = this.#levels.pop(); level !== undefined; level = this.#levels.pop()) {
      if (this.#levels.length < depth) {
        this.#levels.push(level);
        break;
      }
      const { length } = this.#foldersOf(level);
      if (level.next >= length) continue;
      // None at all: it goes no deeper.
      if (level.next === 0) this.#deepest = Math.min(this.#deepest, this.#levels.length);
      else isAsForeseen = false;
    }
    if (depth > this.#deepest) this.#deepest = Number.POSITIVE_INFINITY;
    return isAsForeseen;
  }

  #isNext(path: string, depth: number): boolean {
    const level = this.#levels[depth];
    if (level === undefined) return false;
    const folders = this.#foldersOf(level);
    const index = folders[level.next] === nameOf(path) ? level.next : folders.indexOf(nameOf(path));
    const isNext = index === level.next;
    level.next = index === -1 ? folders.length : index + 1;
    return isNext;
  }

  /** Looks at `folders` in `parent`, and what is below them, in the order in which they will be listed. False when that is enough. */
  #lookAt(parent: string, folders: readonly string[], { depth, now, ahead }: LookingAhead): boolean {
    if (depth > this.#deepest) return true;
    for (const [index, name] of folders.entries()) {
      if (ahead.count >= ahead.most) return false;
      const path = childOf(parent, name);
      const below = this.#view.foldersIn(path, ahead.most);
      if (below === undefined && !this.#isSoon(index, depth, now)) return false;
      ahead.count += 1;
      if (below === undefined) ahead.unlisted.push(path);
      else if (!this.#lookAt(path, below, { depth: depth + 1, now, ahead })) return false;
    }
    return true;
  }

  /**
   * Whether it comes to the folder `index` places further on at `depth` before its listing is old, as far as one can tell: nobody
   * knows what is below those in between.
   */
  #isSoon(index: number, depth: number, now: number): boolean {
    const pace = this.#paces[depth];
    if (pace?.interval === undefined) return index === 0;
    return Math.max(pace.interval, now - pace.last) * (index + 1) < this.#view.lifetime / 2;
  }

  #foldersOf(level: Level): readonly string[] {
    level.folders ??= this.#view.foldersIn(level.path, Number.POSITIVE_INFINITY);
    return level.folders ?? [];
  }
}

interface Ahead {
  readonly most: number;
  count: number;
  readonly unlisted: string[];
}

interface LookingAhead {
  readonly depth: number;
  readonly now: number;
  readonly ahead: Ahead;
}

function levelOf(path: string): Level {
  return { path, folders: undefined, next: 0 };
}
