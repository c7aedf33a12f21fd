/**
 * From when on are answers about a path believed? A person may ask that what was learned before be forgotten, of everything or of
 * one path and what is below it. Answers that left before that are old, too, when they arrive.
 */
import { isWithin, parentOf } from '../store/keys.ts';

export class Forgotten {
  /** By path, the monotonic milliseconds at which it was forgotten. */
  readonly #at = new Map<string, number>();
  #latest = Number.NEGATIVE_INFINITY;

  /** `useless`: what was learned then or before is believed no more anyhow. Both in monotonic milliseconds. */
  forget(path: string, now: number, useless: number): void {
    for (const [known, at] of this.#at) {
      if (at <= useless || isWithin(known, path)) this.#at.delete(known);
    }
    this.#at.set(path, now);
    this.#latest = now;
  }

  /** Whether what was learned of `path` at `at` has been forgotten since. */
  isForgotten(path: string, at: number): boolean {
    if (at > this.#latest) return false;
    for (let above = path; ; above = parentOf(above)) {
      if (at <= (this.#at.get(above) ?? Number.NEGATIVE_INFINITY)) return true;
      if (above === '/') return false;
    }
  }
}
