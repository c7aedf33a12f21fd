/**
 * How does the service lie in time?
 *
 * A service of many machines may take a while to agree with itself. A test asks for that here: uploads that are answered but
 * show only after the next request, and listings that stay as they were at a chosen moment. Nothing is ever lost.
 */
import { isRefusal } from '../service/refusal.ts';
import type { Index } from './index-rows.ts';

interface LateUpload {
  readonly show: () => Promise<void>;
  /** Requests that are answered before it shows. */
  left: number;
}

/** The lies of one store; none until a test asks for one. */
export class Lies {
  readonly #index: Index;
  #after: number[] = [];
  #late: LateUpload[] = [];

  constructor(index: Index) {
    this.#index = index;
  }

  /** The next so many uploads show only when so many requests `after` them have been answered. */
  showUploadsLate(count = 1, after = 1): void {
    for (let each = 0; each < count; each += 1) this.#after.push(after);
  }

  /** From now on listings show what there is now; everything else goes on as usual. */
  async freezeListings(): Promise<void> {
    await this.#index.freeze();
  }

  /** Listings tell the truth again. */
  async thawListings(): Promise<void> {
    await this.#index.thaw();
  }

  /** Runs `show` now, or after later requests when that was asked for. */
  async show(show: () => Promise<void>): Promise<void> {
    const left = this.#after.shift();
    if (left === undefined) {
      await show();
      return;
    }
    const showOrForget = async (): Promise<void> => {
      try {
        await show();
      } catch (error) {
        // The bucket has gone meanwhile, and the file with it.
        if (!isRefusal(error, 'missing')) throw error;
      }
    };
    this.#late.push({ show: showOrForget, left });
  }

  /** To be called around each request: what was held back before it shows after it. */
  async around<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    if (this.#late.length === 0) return request();
    const due: LateUpload[] = [];
    const waiting: LateUpload[] = [];
    for (const late of this.#late) {
      late.left -= 1;
      (late.left > 0 ? waiting : due).push(late);
    }
    this.#late = waiting;
    try {
      return await request();
    } finally {
      for (const { show } of due) await show();
    }
  }

  /** Shows all that is still held back. */
  async end(): Promise<void> {
    while (this.#late.length > 0) await this.around(() => Promise.resolve());
    await this.#index.thaw();
  }
}
