/**
 * When did nobody read by a handle?
 *
 * Of programs that want the same bytes the kernel lets one ask, and has the others wait for its pages: all that is seen of those is that
 * nothing comes by their handles.
 */

/** Milliseconds: what is shorter is the time that a program takes between two reads. */
const SHORTEST = 1000;

/** Those of one handle. All times are monotonic milliseconds. */
export class StreamRests {
  /** Since when no read has been under way; null: one is, or nobody knows. */
  #since: number | null = null;
  #underWay = 0;
  /** The last one that was long. */
  #last = { from: 0, to: 0 };

  /** The handle is opened. */
  opened(at: number): void {
    this.#since = at;
  }

  readBegins(at: number): void {
    this.#underWay += 1;
    if (this.#since !== null && at - this.#since >= SHORTEST) this.#last = { from: this.#since, to: at };
    this.#since = null;
  }

  readEnds(at: number): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#since = at;
  }

  /** Milliseconds before `at` in which nothing was read, up to `at` or later. */
  before(at: number): number {
    const { from, to } = this.#last;
    return to >= at ? Math.max(0, at - from) : 0;
  }
}
