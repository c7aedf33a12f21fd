/**
 * Which folder does a program empty next that removes a tree (`rm -r`)? It goes through the folders of a folder in the order in which
 * it was given their names.
 */
import { childOf, nameOf, parentOf } from '../../store/keys.ts';

/** One at a time: who removes two trees side by side is not foreseen. */
export class RemovalOrder {
  #parent = '';
  /** Names of the folders in `#parent`, as they were when the first of them was removed. */
  #order: readonly string[] = [];
  /** In `#order`. */
  #last = 0;

  /**
   * The folder at `path` is being removed; `siblings` tells the names of the folders in its parent, in the order of its listing.
   * Returns the path of the next, or undefined: so it is until two were removed in that order.
   */
  next(path: string, siblings: () => readonly string[]): string | undefined {
    const [parent, name] = [parentOf(path), nameOf(path)];
    if (parent === this.#parent && name === this.#order[this.#last + 1]) {
      this.#last += 1;
      const next = this.#order[this.#last + 1];
      return next === undefined ? undefined : childOf(parent, next);
    }
    this.#parent = parent;
    this.#order = siblings();
    this.#last = this.#order.indexOf(name);
    return undefined;
  }
}
