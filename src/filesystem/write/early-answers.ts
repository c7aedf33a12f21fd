/**
 * When may a program that has written a piece of a large file go on? As soon as nothing but an error of the local disk can refuse the
 * piece: it makes the next one while this one is put there. That error the next write, fsync or close of the file tells.
 */

/** Bytes of writes that were answered and are not on the disk yet, or may be soon, over all files: memory that no program waits for. */
const MOST_BYTES = 16 * 1024 * 1024;

interface Write {
  readonly bytes: number;
  /** Calls `taken`, or does not. */
  readonly write: (taken?: () => void) => Promise<void>;
  /** Hears why `write` rejected after it had called `taken`. */
  readonly failedLater: (error: unknown) => void;
}

export class EarlyAnswers {
  #bytes = 0;

  /** Resolves when the bytes are taken, or written. Rejects as `write` when neither comes. */
  async answered({ bytes, write, failedLater }: Write): Promise<void> {
    if (this.#bytes + bytes > MOST_BYTES) {
      await write();
      return;
    }
    this.#bytes += bytes;
    let isTaken = false;
    let tell = (): void => undefined;
    const told = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const taken = (): void => {
      isTaken = true;
      tell();
    };
    const ended = write(taken).finally(() => {
      this.#bytes -= bytes;
    });
    ended.catch((error: unknown) => {
      if (isTaken) failedLater(error);
    });
    await Promise.race([told, ended]);
  }
}
