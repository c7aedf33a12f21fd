/** How is a folder read, page by page? */
import type { Clock } from '../base/clock.ts';
import { isRefusal } from '../service/refusal.ts';
import type { ObjectPage } from '../service/records.ts';
import type { BucketStore } from '../store/bucket-store.ts';
import { keyOfPath } from '../store/keys.ts';
import { addPage, emptyNames, type NamesOfPages } from './page-names.ts';

export interface Walk {
  readonly names: NamesOfPages;
  readonly pages: number;
  /** Whether the last page was read. */
  readonly complete: boolean;
  /** The page that was read, when it was only one and more follow. */
  readonly firstPage: ObjectPage | null;
  /**
   * Monotonic milliseconds at which the request for the last page read left. Of a walk that takes longer than the TTL the
   * first names are older than that; counting from the end keeps such a listing useful at all.
   */
  readonly at: number;
}

export interface WalkOptions {
  /** A first page that is already there. */
  readonly first?: ObjectPage | undefined;
  /** Enough as soon as anything is listed. */
  readonly stopAtFirstEntry?: boolean;
  /** Aborted when nobody wants the walk any more. */
  readonly signal?: AbortSignal | undefined;
}

/** Reads the pages of the folder at `path`. A folder that the service answers with 404 has no entries. */
export async function walkFolder(
  store: BucketStore,
  clock: Clock,
  path: string,
  options: WalkOptions,
): Promise<Walk> {
  const folder = keyOfPath(path);
  const prefix = folder === '' ? '' : `${folder}/`;
  let names = emptyNames();
  let pages = 0;
  let at = clock.monotonic();
  let leaving = at;
  let last: ObjectPage | null = null;
  const restarted = (): void => {
    names = emptyNames();
    pages = 0;
    last = null;
    leaving = clock.monotonic();
  };
  try {
    for await (const page of store.pages(folder, options.first, restarted, { signal: options.signal })) {
      at = leaving;
      addPage(names, prefix, page);
      pages += 1;
      last = page;
      if (options.stopAtFirstEntry === true && names.existed) break;
      leaving = clock.monotonic();
    }
  } catch (error) {
    // A bucket always has a top: a 404 there says that the bucket is gone.
    if (path === '/' || !isRefusal(error, 'missing')) throw error;
    return { names: emptyNames(), pages: 1, complete: true, firstPage: null, at };
  }
  const complete = last === null || isLast(last);
  return { names, pages, complete, firstPage: complete || pages > 1 ? null : last, at };
}

function isLast(page: ObjectPage): boolean {
  return page.nextPage === null;
}
