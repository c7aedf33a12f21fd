/** Does a listing get anywhere, or does the service send the same pages for ever? */
import type { ObjectPage } from '../service/records.ts';

/** An empty page may be followed by more (§4.11 rule 6); a service that sends this many in a row without news never ends. */
const MAX_VAIN_PAGES = 1000;

/** Of one walk from its first page on. */
export class PageProgress {
  readonly #bookmarks = new Set<string>();
  readonly #firstEntries = new Set<string>();
  #vainPages = 0;

  /** Whether nothing new can follow `page`, though it says that something does. Each page is shown once, in order. */
  isStuckAt({ nextPage, folders, objects }: ObjectPage): boolean {
    if (nextPage === null) return false;
    const firstEntry = folders[0] ?? objects[0]?.key;
    const isVain = firstEntry === undefined || this.#firstEntries.has(firstEntry);
    this.#vainPages = isVain ? this.#vainPages + 1 : 0;
    if (this.#bookmarks.has(nextPage) || this.#vainPages > MAX_VAIN_PAGES) return true;
    this.#bookmarks.add(nextPage);
    if (firstEntry !== undefined) this.#firstEntries.add(firstEntry);
    return false;
  }
}
