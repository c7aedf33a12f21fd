/** How is a folder read, page by page? */
import type { Clock } from '../base/clock.ts';
import { isRefusal } from '../service/refusal.ts';
import type { ObjectPage } from '../service/records.ts';
import type { BucketStore } from '../store/bucket-store.ts';
import { keyOfPath } from '../store/keys.ts';
import { addPage, emptyNames, type NamesOfPages } from './page-names.ts';

/** When a folder was read, page by page: monotonic milliseconds. */
export interface WalkSpan {
  /** The request for the first page left. */
  readonly since: number;
  /** The request for the last page, or for the latest so far. */
  readonly at: number;
}

/** A folder as far as it is read. */
export interface Walk extends WalkSpan {
  /** What all pages so far show. */
  readonly names: NamesOfPages;
  /** Names that are certain since the last of them. */
  readonly added: readonly string[];
  /** When the page that told of them was asked for, where that was not the last: monotonic milliseconds. */
  readonly toldAt: ReadonlyMap<string, number>;
  /** 1 again when the walk has begun anew. */
  readonly pages: number;
  /** Whether that was the last there is. */
  readonly complete: boolean;
  /** The last page read; null for a folder that the service answers with 404. */
  readonly page: ObjectPage | null;
}

/** A first page that is already there, and when its request left. */
export interface SeenPage {
  readonly page: ObjectPage;
  readonly at: number;
}

export interface WalkOptions {
  readonly first?: SeenPage | null;
  /** As for `BucketStore.pages`. */
  readonly goesOn?: () => boolean;
  /** Aborted when nobody wants the walk any more. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads the pages of the folder at `path`; yields after each. When a bookmark goes stale the walk begins anew. A folder that
 * the service answers with 404 has no entries.
 */
export async function* walkFolder(
  store: BucketStore,
  clock: Clock,
  path: string,
  { first, goesOn, signal }: WalkOptions = {},
): AsyncGenerator<Walk, void> {
  const folder = keyOfPath(path);
  const prefix = folder === '' ? '' : `${folder}/`;
  let names = emptyNames();
  let toldAt = new Map<string, number>();
  let pages = 0;
  let leaving = first?.at ?? clock.monotonic();
  let since = leaving;
  const ahead: { left: number | null } = { left: null };
  const restarted = (): void => {
    names = emptyNames();
    toldAt = new Map();
    pages = 0;
    leaving = clock.monotonic();
    since = leaving;
  };
  const leavesAtOnce = (): boolean => {
    if (goesOn?.() !== true) return false;
    ahead.left = clock.monotonic();
    return true;
  };
  const walk = { first: first?.page, restarted, goesOn: leavesAtOnce };
  try {
    for await (const page of store.pages(folder, walk, { signal })) {
      pages += 1;
      const added = addPage(names, prefix, page);
      const complete = page.nextPage === null;
      yield { names, added, toldAt, pages, complete, page, since, at: leaving };
      const [before, at] = [toldAt, leaving];
      toldAt = new Map(names.held.map((name) => [name, before.get(name) ?? at]));
      leaving = ahead.left ?? clock.monotonic();
      ahead.left = null;
    }
  } catch (error) {
    // A bucket always has a top: a 404 there says that the bucket is gone.
    if (path === '/' || !isRefusal(error, 'missing')) throw error;
    await confirmTop(store, signal);
    yield walkOfMissing(leaving);
  }
}

/**
 * A 404 of a folder may be one of its bucket, all of whose files would seem to be gone: a program that copies deletions, too, would remove
 * them from a backup. Rejects with the refusal where the top cannot be listed either.
 */
async function confirmTop(store: BucketStore, signal: AbortSignal | undefined): Promise<void> {
  for await (const _ of store.pages('', {}, { signal })) return;
}

/** Of a folder that the service answers with 404 to a request that left `at`. */
function walkOfMissing(at: number): Walk {
  return {
    names: emptyNames(),
    added: [],
    toldAt: new Map(),
    pages: 1,
    complete: true,
    page: null,
    since: at,
    at,
  };
}
