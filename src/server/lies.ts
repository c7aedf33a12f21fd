/**
 * How does the service lie in time?
 *
 * A service of many machines may take a while to agree with itself. A test asks for that here: uploads that are answered but
 * show only after the next request, and listings that stay as they were at a chosen moment. Nothing is ever lost.
 */
import { isRefusal } from '../service/refusal.ts';
import type { Index } from './index-rows.ts';

/** The lies of one store; none until a test asks for one. */
export class Lies {
  readonly #index: Index;
  #latePuts = 0;
  #late: (() => Promise<void>)[] = [];

  constructor(index: Index) {
    this.#index = index;
  }

  /** The next so many uploads show only when the request after them has been answered. */
  showUploadsLate(count = 1): void {
    this.#latePuts += count;
  }

  /** From now on listings show what there is now; everything else goes on as usual. */
  async freezeListings(): Promise<void> {
    await this.#index.freeze();
  }

  /** Listings tell the truth again. */
  async thawListings(): Promise<void> {
    await this.#index.thaw();
  }

  /** Runs `show` now, or after the next request when that was asked for. */
  async show(show: () => Promise<void>): Promise<void> {
    if (this.#latePuts === 0) {
      await show();
      return;
    }
    this.#latePuts -= 1;
    this.#late.push(async () => {
      try {
        await show();
      } catch (error) {
        // The bucket has gone meanwhile, and the file with it.
        if (!isRefusal(error, 'missing')) throw error;
      }
    });
  }

  /** To be called around each request: what was held back before it shows after it. */
  async around<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    if (this.#late.length === 0) return request();
    const due = this.#late;
    this.#late = [];
    try {
      return await request();
    } finally {
      for (const show of due) await show();
    }
  }

  /** Shows all that is still held back. */
  async end(): Promise<void> {
    await this.around(() => Promise.resolve());
    await this.#index.thaw();
  }
}
