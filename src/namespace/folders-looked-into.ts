/** In which folders is somebody just being asked for a name? */

export class FoldersLookedInto {
  /** How many looks are under way, by folder. */
  readonly #looks = new Map<string, number>();

  has(folder: string): boolean {
    return this.#looks.has(folder);
  }

  /** As `look` settles. */
  async during<Result>(folder: string, look: () => Promise<Result>): Promise<Result> {
    this.#looks.set(folder, (this.#looks.get(folder) ?? 0) + 1);
    try {
      return await look();
    } finally {
      const left = (this.#looks.get(folder) ?? 1) - 1;
      if (left > 0) this.#looks.set(folder, left);
      else this.#looks.delete(folder);
    }
  }
}
