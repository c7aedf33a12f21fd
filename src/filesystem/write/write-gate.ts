/**
 * How are a file's bytes kept still while they are read for an upload?
 *
 * Writers pass while the gate is open. Closing waits for those inside and holds up those who come later, so an upload sees one
 * content from its first byte to its last.
 *
 * The order of locks, so that nobody waits in a circle: first the claim of the paths (path-claims.ts), one at a time and never
 * inside another; then the gate of one file, always inside that claim. Writers take the gate alone. Whoever is inside a gate
 * asks for neither a claim nor a gate, so every gate opens as soon as its requests have ended, and then every claim.
 */
export class WriteGate {
  #writers = 0;
  #closed = false;
  #waiting: (() => void)[] = [];

  /** Whether somebody reads the bytes, or is about to. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Runs `write` as soon as no upload reads the bytes. */
  async write<Result>(write: () => Promise<Result>): Promise<Result> {
    while (this.#closed) await this.#nextChange();
    this.#writers += 1;
    try {
      return await write();
    } finally {
      this.#writers -= 1;
      this.#wake();
    }
  }

  /** Runs `upload` while nobody writes. */
  async still<Result>(upload: () => Promise<Result>): Promise<Result> {
    while (this.#closed) await this.#nextChange();
    this.#closed = true;
    try {
      while (this.#writers > 0) await this.#nextChange();
      return await upload();
    } finally {
      this.#closed = false;
      this.#wake();
    }
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    const woken = this.#waiting;
    this.#waiting = [];
    for (const resolve of woken) resolve();
  }
}
