/** How many bytes of the disk does one draft or one temporary file hold, and what does it hear when there is no room for more? */

/** There is no room for `bytes` more. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom';
  readonly code = 'ENOSPC';
  readonly bytes: number;
  /** Whether `SpaceBudget.roomFor` may help: bytes are on their way to the service, and not too many wait for that. */
  readonly mayPass: boolean;

  /** `reason`: what has no room for them. */
  constructor(bytes: number, mayPass: boolean, reason: string) {
    super(`there is no room: ${reason}`);
    this.bytes = bytes;
    this.mayPass = mayPass;
  }
}

/** What an account may ask of its budget. */
export interface Purse {
  readonly take: (bytes: number) => boolean;
  readonly reserve: (bytes: number) => Promise<void>;
  readonly change: (used: number, leaving: number) => void;
  /** An upload begins. Returns what is called when it has ended. */
  readonly uploading: () => (hasArrived: boolean) => void;
}

/** The bytes of one draft. */
export class SpaceAccount {
  readonly #purse: Purse;
  #held = 0;
  #isLeaving = false;
  #isClosed = false;

  /** Made by a `SpaceBudget` alone. */
  constructor(purse: Purse) {
    this.#purse = purse;
  }

  get held(): number {
    return this.#held;
  }

  /** Whether the account now holds `bytes` more. False when there is no room, or nobody has looked lately: `grow` tells. */
  take(bytes: number): boolean {
    if (bytes <= 0) return true;
    if (this.#isClosed || !this.#purse.take(bytes)) return false;
    this.#took(bytes);
    return true;
  }

  /**
   * Resolves when the account holds `bytes` more. Rejects with `NoRoom`, or with the disk's error, and holds what it held.
   */
  async grow(bytes: number): Promise<void> {
    if (bytes <= 0) return;
    await this.#purse.reserve(bytes);
    if (this.#isClosed) {
      this.#purse.change(-bytes, 0);
      throw new NoRoom(bytes, false, 'what they were for has gone');
    }
    this.#took(bytes);
  }

  /** Counts bytes that are there, whatever the limit. */
  hold(bytes: number): void {
    this.#resize(this.#held + bytes);
  }

  /** Gives back what it holds above `bytes`. */
  shrinkTo(bytes: number): void {
    this.#resize(Math.min(this.#held, bytes));
  }

  /** As `Purse.uploading`, of these bytes. */
  uploading(): (hasArrived: boolean) => void {
    return this.#purse.uploading();
  }

  /** Whether these bytes will become free by themselves: true while they wait for or are in an upload that is tried again. */
  setLeaving(isLeaving: boolean): void {
    if (isLeaving === this.#isLeaving || this.#isClosed) return;
    this.#isLeaving = isLeaving;
    this.#purse.change(0, isLeaving ? this.#held : -this.#held);
  }

  /** The bytes are gone from the disk. A second call does nothing. */
  close(): void {
    this.#resize(0);
    this.#isClosed = true;
  }

  #took(bytes: number): void {
    this.#held += bytes;
    if (this.#isLeaving) this.#purse.change(0, bytes);
  }

  #resize(bytes: number): void {
    if (this.#isClosed) return;
    const change = bytes - this.#held;
    this.#held = bytes;
    this.#purse.change(change, this.#isLeaving ? change : 0);
  }
}
