/**
 * Where is a folder that this mount is renaming? The file system makes the new one first and removes the old one at its end, and the
 * kernel hears of it only then: who stands in the folder, or has it open, must not be told meanwhile that it is gone.
 */

interface Move {
  readonly from: string;
  readonly to: string;
}

export class MovingFolders {
  readonly #moves = new Set<Move>();

  /** Runs `move`, which renames `from`, a folder, and writes down its new name once that is done. */
  async during<Result>(from: string, to: string, move: () => Promise<Result>): Promise<Result> {
    const moving = { from, to };
    this.#moves.add(moving);
    try {
      return await move();
    } finally {
      this.#moves.delete(moving);
    }
  }

  /** Where what was at `path` is going; undefined when it stays. */
  newPathOf(path: string): string | undefined {
    for (const { from, to } of this.#moves) {
      if (path === from || path.startsWith(`${from}/`)) return to + path.slice(from.length);
    }
    return undefined;
  }
}
