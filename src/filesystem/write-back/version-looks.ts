/**
 * Does the service still have what is to be deleted? One HEAD tells of one file, one page of a listing of a thousand: `rm -r` of
 * an old tree must not cost two requests a file.
 */
import type { KnownFolder } from '../../namespace/known-folder.ts';
import type { ListedFiles } from '../../namespace/namespace.ts';
import { LIST_OBJECTS_MAX_LIMIT } from '../../service/limits.ts';
import { isRefusal } from '../../service/refusal.ts';
import { keyOfPath, nameOf, parentOf } from '../../store/keys.ts';
import { recognise } from '../../store/own-upload.ts';
import type { Version } from '../../store/version.ts';
import type { MountState } from '../mount-state.ts';
import type { Deletion, OwedDeletions } from './owed-deletions.ts';
import { RemovalOrder } from './removal-order.ts';

/** For how long after a look nobody looks again, milliseconds. */
const JUST_SEEN = 1000;

interface Listing {
  readonly files: ListedFiles;
  /** Monotonic milliseconds. */
  readonly askedAt: number;
}

/** `ours`: a later upload of this mount. */
export type Seen = 'meant' | 'missing' | 'ours' | 'foreign';

export class VersionLooks {
  readonly #mount: MountState;
  readonly #owed: Pick<OwedDeletions, 'in'>;
  /** Listings under way, by folder. */
  readonly #listings = new Map<string, Promise<void>>();
  /** What listings have just shown, by folder: also of what is unlinked only afterwards. */
  readonly #recent = new Map<string, Listing>();
  readonly #removalOrder = new RemovalOrder();

  constructor(mount: MountState, owed: Pick<OwedDeletions, 'in'>) {
    this.#mount = mount;
    this.#owed = owed;
  }

  /** When the request left that has just shown one of `versions` at `path`, monotonic milliseconds; -Infinity when none has. */
  seenAt(path: string, versions: readonly Version[]): number {
    const listing = this.#recent.get(parentOf(path));
    return listing !== undefined && isIn(listing, path, versions) ? listing.askedAt : -Infinity;
  }

  /** What the service has at `path`, or had a moment ago. Rejects with its refusal. */
  async look(path: string, deletion: Deletion): Promise<Seen> {
    if (this.#isJustSeen(deletion)) return 'meant';
    const folder = parentOf(path);
    if (this.#isWorthListing(folder)) await this.#listed(folder);
    // One that was asked for others may show it, too; why it fails is not said of this file.
    else await this.#listings.get(folder)?.catch(() => undefined);
    return this.#isJustSeen(deletion) ? 'meant' : this.lookNow(path, deletion);
  }

  /** As `look`, by a request of its own. */
  async lookNow(path: string, { versions }: Deletion): Promise<Seen> {
    const { store, table } = this.#mount;
    const key = keyOfPath(path);
    try {
      const head = await store.head(key);
      if ((await recognise(store, key, head, versions)) !== undefined) return 'meant';
      const file = table.get(path);
      const own = [file?.version ?? null, ...(file?.doubts.versions ?? [])].filter((each) => each !== null);
      return (await recognise(store, key, head, own)) === undefined ? 'foreign' : 'ours';
    } catch (error) {
      if (isRefusal(error, 'missing')) return 'missing';
      throw error;
    }
  }

  /** Whether another try of the DELETE takes nothing from anybody else. Rejects as `look`. */
  async mayGo(path: string, deletion: Deletion): Promise<boolean> {
    const seen = await this.lookNow(path, deletion);
    return seen === 'meant' || seen === 'missing';
  }

  /**
   * The folder at `path` is being removed, which takes a while in which nothing is deleted: meanwhile the files of the next one are
   * looked at, by the listing that its first DELETEs would wait for.
   */
  lookAhead(path: string): void {
    if (!this.#recent.has(path)) return;
    const { known } = this.#mount.namespace;
    const next = this.#removalOrder.next(path, () => namesOf(known.folder(parentOf(path)), 'folder'));
    if (next === undefined) return;
    const folder = known.folder(next);
    const isOld = this.#mount.clock.monotonic() - (folder?.listed?.at ?? Infinity) >= JUST_SEEN;
    if (!isOld || namesOf(folder, 'file').length < 2 || namesOf(folder, 'folder').length > 0) return;
    // Who deletes the files looks again, and hears why that cannot be.
    this.#listed(next).catch(() => undefined);
  }

  #isJustSeen({ seenAt, isUnsure }: Deletion): boolean {
    return !isUnsure && this.#mount.clock.monotonic() - seenAt < JUST_SEEN;
  }

  /** Whether a listing of `folder` costs fewer requests than a look at each file in it that is to be deleted. */
  #isWorthListing(folder: string): boolean {
    const pages = this.#mount.namespace.known.folder(folder)?.listed?.pages;
    if (pages === undefined) return false;
    let unseen = 0;
    for (const [, deletion] of this.#owed.in(folder)) {
      if (this.#isJustSeen(deletion)) continue;
      unseen += 1;
      if (unseen > pages) return true;
    }
    return false;
  }

  #listed(folder: string): Promise<void> {
    const underWay = this.#listings.get(folder);
    if (underWay !== undefined) return underWay;
    const listing = this.#list(folder).finally(() => this.#listings.delete(folder));
    this.#listings.set(folder, listing);
    return listing;
  }

  async #list(folder: string): Promise<void> {
    const listing = await this.#mount.namespace.filesNow(folder);
    for (const [path, deletion] of this.#owed.in(folder))
      if (isIn(listing, path, deletion.versions)) deletion.seenAt = listing.askedAt;
    this.#recent.set(folder, listing);
    this.#mount.clock.after(JUST_SEEN, () => {
      if (this.#recent.get(folder) === listing) this.#recent.delete(folder);
    });
  }
}

/** Whether one of `versions` was at `path` when `listing` was asked for. */
function isIn({ files }: Listing, path: string, versions: readonly Version[]): boolean {
  const facts = files.get(nameOf(path));
  return facts !== undefined && versions.some((version) => version.matches(facts));
}

/** None of a folder with more than a page: those are not looked at ahead. */
function namesOf(folder: KnownFolder | undefined, kind: 'file' | 'folder'): readonly string[] {
  if (folder?.listed?.pages !== 1 || folder.names.size > LIST_OBJECTS_MAX_LIMIT) return [];
  return [...folder.names.keys()].filter((name) => folder.names.peek(name)?.kind === kind);
}
