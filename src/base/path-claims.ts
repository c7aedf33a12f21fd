/**
 * Which paths is a change in progress on?
 *
 * A change that needs the service takes several requests; holding a lock over them would freeze every reader. Instead it
 * registers its paths here. Another change of the same path, or of one above or below, waits; stat, listing and reading do
 * not look here at all. All paths of a claim are taken at once or not at all, and whoever holds a claim asks for no other until
 * it has ended, so two claims can never wait for each other.
 */

interface Waiting {
  readonly paths: readonly string[];
  readonly admit: () => void;
}

/** The changes in progress of one mount. */
export class PathClaims {
  readonly #held = new Set<readonly string[]>();
  #waiting: Waiting[] = [];

  /** Runs `change` while its paths are claimed. What was known before the wait may be old: look again inside. */
  async run<Result>(paths: readonly string[], change: () => Promise<Result>): Promise<Result> {
    await this.#admission(paths);
    try {
      return await change();
    } finally {
      this.#held.delete(paths);
      this.#admitWaiting();
    }
  }

  #admission(paths: readonly string[]): Promise<void> {
    // First come, first served among those that overlap: a stream of small claims must not starve a large one.
    const ahead = [...this.#held, ...this.#waiting.map((waiting) => waiting.paths)];
    if (!ahead.some((other) => overlap(other, paths))) {
      this.#held.add(paths);
      return Promise.resolve();
    }
    return new Promise((admit) => this.#waiting.push({ paths, admit }));
  }

  #admitWaiting(): void {
    const stillWaiting: Waiting[] = [];
    for (const waiting of this.#waiting) {
      const ahead = [...this.#held, ...stillWaiting.map((earlier) => earlier.paths)];
      if (ahead.some((other) => overlap(other, waiting.paths))) {
        stillWaiting.push(waiting);
      } else {
        this.#held.add(waiting.paths);
        waiting.admit();
      }
    }
    this.#waiting = stillWaiting;
  }
}

function overlap(some: readonly string[], others: readonly string[]): boolean {
  return some.some((a) => others.some((b) => a === b || isBelow(a, b) || isBelow(b, a)));
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder === '/' ? '/' : `${folder}/`);
}
