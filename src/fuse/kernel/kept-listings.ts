/**
 * Which folders may the kernel list by itself? It remembers the names that it was given of a folder from the first to the end, and
 * gives them to whoever lists it later, if the answer to OPENDIR allows it: as long as a listing of ours would be the same.
 *
 * It never mixes two listings, since no place in one is a place in another (`firstPlaceOf`). What it remembers beside names are the
 * attributes that it was told with them: where those are gone, to look up each name would cost far more than another listing.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import type { Node } from './node.ts';
import type { NodeTable } from './node-table.ts';
import { dropCached } from './notifications.ts';
import type { Snapshot } from './snapshot.ts';

/** The kernel may remember the names that it is given through this handle, and give those that it remembers. */
const FOPEN_CACHE_DIR = 8;
/** It need not forget those that it has. */
const FOPEN_KEEP_CACHE = 2;

/** Places in one listing. */
const PLACES = 2 ** 32;
/** Listings of one folder until a number is used again: that of the first is long forgotten then. */
const LISTINGS = 2 ** 20;
/** Names of listings that nobody has open: some 30 bytes each. */
const MOST_NAMES = 500_000;
/** So many names take as much as a listing without any. */
const NAMES_OF_LISTING = 50;
/** A listing that is to be trusted for less is asked for anew; those of open folders are looked at as often. Milliseconds. */
const LOOK_MS = 100;
/** Of one folder, while it is open. */
const MOST_READABLE = 4;
/** To look up a name costs as much as some ten names of a listing: so many may lack their attributes. */
const MOST_LACKING = 0.1;

/** What the kernel may have of a folder that somebody has open in a way that lets it remember. */
interface Copy {
  readonly node: Node;
  /** How many have it open. */
  handles: number;
  /** The listings that it was given, or may be given yet. */
  given: readonly Snapshot[];
  /** Whether what it has can only be from the one that is `given`, if any: then there is no other. */
  isPure: boolean;
  /** The last of all that were given: who is in the midst of one goes on there when the kernel has lost it. */
  readable: readonly Snapshot[];
}

/** How a folder is opened. */
export interface FolderOpening {
  readonly flags: number;
  readonly isRemembered: boolean;
  /** What the kernel goes on with. */
  readonly snapshot: Snapshot | null;
}

/** The part of a mount that this takes. */
interface KeptListingsParts {
  readonly nodes: NodeTable;
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly notify: (notification: Buffer) => void;
}

/** One mount's. No method waits or throws. */
export class KeptListings {
  readonly #parts: KeptListingsParts;
  readonly #open = new Map<number, Copy>();
  /** What the kernel may have of folders that nobody has open, by node. */
  readonly #closed = new LRUCache<number, Snapshot>({
    maxSize: MOST_NAMES,
    sizeCalculation: ({ length }) => length + NAMES_OF_LISTING,
  });
  #cancel: (() => void) | null = null;

  constructor(parts: KeptListingsParts) {
    this.#parts = parts;
  }

  /** Somebody opens `node`. To be ended with `closed`. */
  opened(node: Node): FolderOpening {
    const there = this.#open.get(node.id);
    const only = there?.isPure === true ? there.given[0] : undefined;
    const kept = there === undefined ? this.#closed.get(node.id) : only;
    if (kept !== undefined && this.#isWorthKeeping(node, kept)) {
      if (there === undefined) this.#add(node, [kept]);
      else there.handles += 1;
      kept.shown?.listedAgain();
      return { flags: FOPEN_CACHE_DIR | FOPEN_KEEP_CACHE, isRemembered: true, snapshot: kept };
    }
    // Others may be given what is no longer so, or not all that is: this one asks for itself, and leaves them theirs.
    if (there !== undefined) return { flags: FOPEN_KEEP_CACHE, isRemembered: false, snapshot: null };
    this.#closed.delete(node.id);
    // Where nothing is trusted, who begins anew has to see what is there then.
    const isTrusted = node.trustedUntil > this.#parts.clock.monotonic();
    if (isTrusted) this.#add(node, []);
    return { flags: isTrusted ? FOPEN_CACHE_DIR : 0, isRemembered: isTrusted, snapshot: null };
  }

  /** The kernel asks for `snapshot` from its beginning, which it does only where it has no whole listing. */
  begun(node: Node, snapshot: Snapshot): void {
    const copy = this.#open.get(node.id);
    if (copy === undefined) return;
    copy.isPure = copy.handles === 1;
    copy.given = copy.isPure ? [snapshot] : [...copy.given, snapshot];
    copy.readable = [...copy.readable, snapshot].slice(-MOST_READABLE);
  }

  /** The listing that `place` belongs to, which the kernel may have given through any handle. */
  at(node: Node, place: number): Snapshot | undefined {
    const { firstPlace } = placeIn(place);
    return this.#open.get(node.id)?.readable.find((snapshot) => snapshot.firstPlace === firstPlace);
  }

  closed(node: Node): void {
    const copy = this.#open.get(node.id);
    if (copy === undefined) return;
    copy.handles -= 1;
    if (copy.handles > 0) return;
    this.#open.delete(node.id);
    const [only] = copy.given;
    if (copy.isPure && only?.isWhole === true) this.#closed.set(node.id, only);
  }

  /** The kernel has to look up every name again: to give it all of them with their attributes is cheaper. */
  attributesGone(): void {
    this.#closed.clear();
    for (const copy of this.#open.values()) copy.isPure = false;
  }

  /** Nothing that was learned before now counts any more. */
  dropAll(): void {
    this.attributesGone();
    for (const copy of this.#open.values()) this.#drop(copy);
  }

  /** Nothing is mounted any more. */
  end(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #add(node: Node, given: readonly Snapshot[]): void {
    this.#open.set(node.id, { node, handles: 1, given, isPure: true, readable: given });
    this.#cancel ??= this.#parts.clock.after(LOOK_MS, this.#look);
  }

  #isWorthKeeping(node: Node, { isWhole, shown, length, toldCount }: Snapshot): boolean {
    if (!isWhole || shown === null) return false;
    const enough = length * (1 - MOST_LACKING);
    const hasAttributes = toldCount >= enough && this.#parts.nodes.countKnownIn(node) >= enough;
    return hasAttributes && shown.stillFor() > LOOK_MS;
  }

  /** Who has a folder open may begin anew at any time, which nobody hears of: the kernel must not go on with what is old. */
  readonly #look = (): void => {
    this.#cancel = null;
    for (const copy of this.#open.values()) {
      const isOld = ({ isWhole, shown }: Snapshot): boolean =>
        isWhole && (shown === null || shown.stillFor() <= LOOK_MS);
      if (copy.given.some(isOld)) this.#drop(copy);
    }
    if (this.#open.size > 0) this.#cancel = this.#parts.clock.after(LOOK_MS, this.#look);
  };

  #drop(copy: Copy): void {
    copy.isPure = false;
    copy.given = copy.given.filter(({ isWhole }) => !isWhole);
    this.#parts.notify(dropCached(copy.node.id, 'bytes'));
  }
}

/** The place before the first name of the next listing of `folder`. */
export function firstPlaceOf(folder: Node): number {
  const number = folder.listings % LISTINGS;
  folder.listings += 1;
  return number * PLACES;
}

/** How far into its listing `place` is, and which place is the first there. */
export function placeIn(place: number): { readonly index: number; readonly firstPlace: number } {
  const index = place % PLACES;
  return { index, firstPlace: place - index };
}
