/**
 * Which files that nobody uses at the moment stay open? While a service is away tens of thousands of them may wait here; a process may
 * have only so many descriptors, and its connections need some, too.
 *
 * The first that come to rest stay open: they are mostly the first that are used again. For one that is opened anew another is closed.
 */

/** As many as a close in between would be noticed for; few for the smallest limits that systems set (1024). */
const MOST = 500;

export interface RestingFile {
  /** Opens itself again when it is used. */
  closeForNow(): void;
}

/** Those of one process. */
export class RestingFiles {
  readonly #open = new Set<RestingFile>();

  /** `file`, which is open, and whose bytes are on the disk, will hardly be used soon. */
  rests(file: RestingFile): void {
    if (this.#open.has(file) || this.#open.size < MOST) this.#open.add(file);
    else file.closeForNow();
  }

  /** `file`, which was closed for now, is open again. */
  reopened(file: RestingFile): void {
    const [longest] = this.#open;
    if (longest !== undefined && this.#open.size >= MOST) {
      this.#open.delete(longest);
      longest.closeForNow();
    }
    this.#open.add(file);
  }

  /** `file` changes, or may not be opened by its name again. */
  used(file: RestingFile): void {
    this.#open.delete(file);
  }
}
