/**
 * Is there room for what a program writes? Asked before the bytes are taken, so that a full disk is an error of `write` and
 * never of the upload.
 *
 * Unsent bytes are never dropped to make room: who comes too late is refused, or waits for uploads to end. Waiting is only for
 * those who can hope: while no bytes are on their way to the service nothing will become free, and the answer is ENOSPC. The
 * disk is not filled to its end either: other programs need it too, and so does the journal.
 */
import type { Clock } from '../base/clock.ts';
import { SharedRun } from '../base/shared-run.ts';

/** The part of the disk that stays free. */
const FREE_SHARE = 0.05;
/** How long an answer of the disk is good for: other programs write as well. */
const LOOK_AGE_MS = 1000;

/** Bytes. */
export interface DiskSpace {
  readonly free: number;
  readonly total: number;
}

export interface SpaceBudgetParts {
  /** Most unsent bytes; Infinity: as many as the disk takes. */
  readonly limit: number;
  readonly disk: () => Promise<DiskSpace>;
  readonly clock: Clock;
}

/** What a writer does when there is no room. */
export type WhenFull = 'refuse' | 'wait';

/** The unsent bytes of one mount. */
export class SpaceBudget {
  readonly #parts: SpaceBudgetParts;
  readonly #looks: SharedRun;
  #used = 0;
  /** The part of `used` that is on its way to the service. */
  #leaving = 0;
  /** Bytes that may still be taken, by the last look at the disk. */
  #diskRoom = 0;
  #lookedAt = -Infinity;
  /** Settles when all who asked so far have their answer: first come, first served. */
  #queue: Promise<unknown> = Promise.resolve();
  #queued = 0;
  #wake: () => void = () => undefined;

  constructor(parts: SpaceBudgetParts) {
    this.#parts = parts;
    this.#looks = new SharedRun(() => this.#look());
  }

  /** Bytes held by all accounts. */
  get used(): number {
    return this.#used;
  }

  /** An account for one draft; `held` bytes are on the disk already and are not refused. */
  open(held = 0): SpaceAccount {
    const account = new SpaceAccount({
      reserve: (bytes, whenFull) => this.#reserve(bytes, whenFull),
      change: (used, leaving) => {
        this.#change(used, leaving);
      },
    });
    account.hold(held);
    return account;
  }

  async #reserve(bytes: number, whenFull: WhenFull): Promise<void> {
    const isFresh = this.#parts.clock.monotonic() - this.#lookedAt <= LOOK_AGE_MS;
    if (this.#queued === 0 && isFresh && this.#take(bytes)) return;
    this.#queued += 1;
    const turn = this.#queue.then(() => this.#reserveInTurn(bytes, whenFull));
    this.#queue = turn.catch(() => undefined);
    try {
      await turn;
    } finally {
      this.#queued -= 1;
    }
  }

  async #reserveInTurn(bytes: number, whenFull: WhenFull): Promise<void> {
    for (;;) {
      await this.#looks.run();
      if (this.#take(bytes)) return;
      if (whenFull === 'refuse' || this.#leaving === 0) throw noSpace();
      await this.#nextChange();
    }
  }

  #take(bytes: number): boolean {
    if (this.#used + bytes > this.#parts.limit || bytes > this.#diskRoom) return false;
    this.#used += bytes;
    this.#diskRoom -= bytes;
    return true;
  }

  async #look(): Promise<void> {
    const { free, total } = await this.#parts.disk();
    this.#diskRoom = free - total * FREE_SHARE;
    this.#lookedAt = this.#parts.clock.monotonic();
  }

  #change(used: number, leaving: number): void {
    this.#used += used;
    this.#leaving += leaving;
    this.#wake();
  }

  /** Or a while: other programs may have made room on the disk. */
  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(LOOK_AGE_MS, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}

/** What an account may ask of its budget. */
interface Purse {
  readonly reserve: (bytes: number, whenFull: WhenFull) => Promise<void>;
  readonly change: (used: number, leaving: number) => void;
}

/** The bytes of one draft. */
export class SpaceAccount {
  readonly #purse: Purse;
  #held = 0;
  #isLeaving = false;
  #isClosed = false;

  /** Made by `SpaceBudget.open` alone. */
  constructor(purse: Purse) {
    this.#purse = purse;
  }

  get held(): number {
    return this.#held;
  }

  /**
   * Resolves when the account holds `bytes` more. Rejects with ENOSPC, and holds what it held. `wait`: only while bytes of
   * others are on their way to the service.
   */
  async grow(bytes: number, whenFull: WhenFull): Promise<void> {
    if (bytes <= 0) return;
    await this.#purse.reserve(bytes, whenFull);
    if (this.#isClosed) {
      this.#purse.change(-bytes, 0);
      throw noSpace();
    }
    this.#held += bytes;
    if (this.#isLeaving) this.#purse.change(0, bytes);
  }

  /** Counts bytes that are there, whatever the limit. */
  hold(bytes: number): void {
    this.#resize(this.#held + bytes);
  }

  /** Gives back what it holds above `bytes`. */
  shrinkTo(bytes: number): void {
    this.#resize(Math.min(this.#held, bytes));
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

  #resize(bytes: number): void {
    if (this.#isClosed) return;
    const change = bytes - this.#held;
    this.#held = bytes;
    this.#purse.change(change, this.#isLeaving ? change : 0);
  }
}

function noSpace(): Error {
  return Object.assign(new Error('there is no room for more unsent bytes'), { code: 'ENOSPC' });
}
