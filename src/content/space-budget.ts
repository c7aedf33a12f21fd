/**
 * Is there room for what a program writes? Asked before the bytes are taken, so that a full disk is an error of `write` and
 * never of the upload.
 *
 * Unsent bytes are never dropped to make room: who comes too late is refused, or waits for uploads to end. Waiting is only for
 * those who can hope: while no bytes are on their way to the service nothing will become free, and the answer is ENOSPC. The
 * disk is not filled to its end either: other programs need it too, and so does the journal.
 */
import type { Clock } from '../base/clock.ts';
import type { DiskSpace } from './local-files.ts';
import { NoRoom, SpaceAccount } from './space-account.ts';
import { UploadHope } from './upload-hope.ts';

/** The part of the disk that stays free. */
export const FREE_SHARE = 0.05;
/** Each holds in memory what it has come with, and until some of that goes the mount would take no more requests, `ls` and umount(8) among them. */
const MOST_WAITING = 128;
/** How long an answer of the disk is good for: other programs write as well. */
const LOOK_AGE_MS = 1000;

/** Bytes that can be had again from the service; a disk cache. */
export interface CleanBytes {
  readonly used: number;
  /** Whether the disk that is asked for room has none of them: then it gains nothing when they go. Never rejects. */
  areElsewhere?(): Promise<boolean>;
  /** Deletes what is beyond `bytes`. Never rejects. */
  shrinkTo(bytes: number): Promise<void>;
}

export interface SpaceBudgetParts {
  /** Most bytes, unsent and clean together (`--cache-size`); Infinity: as many as the disk takes. */
  readonly limit: number;
  /** What gives way to unsent bytes. */
  readonly clean?: CleanBytes;
  readonly disk: () => Promise<DiskSpace>;
  readonly clock: Clock;
}

/** The unsent bytes of one mount. */
export class SpaceBudget {
  readonly #parts: SpaceBudgetParts;
  readonly #hope: UploadHope;
  #used = 0;
  /** The part of `used` that is on its way to the service. */
  #leaving = 0;
  /** How often either has changed. */
  #changes = 0;
  /** Bytes that may still be taken, by the last look at the disk. */
  #diskRoom = 0;
  #lookedAt = -Infinity;
  /** Settles when the last look that was asked for is over: each is made by itself. */
  #looks: Promise<unknown> = Promise.resolve();
  #looking = 0;
  /** Settles when all who wait so far have their answer: first come, first served. */
  #turns: Promise<void> = Promise.resolve();
  #waiting = 0;
  /** How many have had their turn and not asked again. */
  #returning = 0;
  #wake: () => void = () => undefined;
  /** Each ends copies that nobody uses. */
  readonly #idle = new Set<() => Promise<void>>();

  constructor(parts: SpaceBudgetParts) {
    this.#parts = parts;
    this.#hope = new UploadHope(parts.clock, () => {
      this.#wake();
    });
  }

  /** Bytes held by all accounts. */
  get used(): number {
    return this.#used;
  }

  /**
   * Where there is no room, before anybody hears of that, `dropIdle` is asked to end what accounts hold of copies that nobody uses. It
   * never rejects, and waits for nobody who waits for room. Returns what ends that.
   */
  giveWayFirst(dropIdle: () => Promise<void>): () => void {
    this.#idle.add(dropIdle);
    return () => void this.#idle.delete(dropIdle);
  }

  /**
   * Resolves when it is time to ask again: there is room for `bytes`, though it is not kept for anybody, or no hope for it. For
   * callers whom no upload waits for.
   */
  async roomFor(bytes: number): Promise<void> {
    if (this.#waiting === 0) this.#returning = 0;
    this.#waiting += 1;
    this.#turns = this.#turns.then(() => this.#untilRoom(bytes));
    await this.#turns;
    this.#waiting -= 1;
    this.#returning += 1;
  }

  /** An account for one draft; `held` bytes are on the disk already and are not refused. */
  open(held = 0): SpaceAccount {
    const account = this.#account(() => this.#isTooEarly());
    account.hold(held);
    return account;
  }

  /** An account for a copy of what the service has, whose owner cannot wait: it is not refused because others do. */
  openForCopy(): SpaceAccount {
    return this.#account(() => false);
  }

  #account(isTooEarly: () => boolean): SpaceAccount {
    return new SpaceAccount({
      take: (bytes) => !isTooEarly() && this.#takeAtOnce(bytes),
      reserve: (bytes) => this.#reserve(bytes, isTooEarly()),
      change: (used, leaving) => {
        this.#change(used, leaving);
      },
      uploading: () => this.#hope.uploading(),
    });
  }

  /** False also when it takes a look at the disk to know. */
  #takeAtOnce(bytes: number): boolean {
    const isFresh = this.#parts.clock.monotonic() - this.#lookedAt <= LOOK_AGE_MS;
    return this.#looking === 0 && isFresh && this.#take(bytes);
  }

  /** Whether what is free is for others, who wait for it: a stream of small writes would keep a large one waiting for ever. */
  #isTooEarly(): boolean {
    return this.#waiting > 0 && this.#returning === 0 && !this.#isHopeless(0);
  }

  /** Never waits for uploads: callers are inside gates that uploads need. */
  async #reserve(bytes: number, isTooEarly: boolean): Promise<void> {
    if (!isTooEarly) {
      if (this.#takeAtOnce(bytes) || (await this.#afterLook(bytes, () => this.#take(bytes)))) return;
      this.#turnTaken();
    }
    throw new NoRoom(bytes, !this.#isHopeless(bytes) && this.#waiting < MOST_WAITING, this.#lack(bytes));
  }

  /** What a person can change who wonders why there is no room for `bytes`. */
  #lack(bytes: number): string {
    if (this.#used + bytes > this.#parts.limit) return '--cache-size allows no more';
    return this.#fits(bytes) ? 'others wait for it' : 'a twentieth of the disk is to stay free';
  }

  /** Whether no upload that is under way will make room for `bytes`, which have none now. */
  #isHopeless(bytes: number): boolean {
    const { limit } = this.#parts;
    if (bytes > limit) return true;
    // What has just arrived is noted down before it goes.
    if (this.#hope.isJustArrived) return false;
    if (this.#leaving === 0 || this.#used - this.#leaving + bytes > limit) return true;
    if (this.#hope.isGone) return true;
    // The disk is full of what is nobody's to send.
    return this.#diskRoom + this.#leaving < bytes;
  }

  async #untilRoom(bytes: number): Promise<void> {
    for (;;) {
      let seen = this.#changes;
      // Who had his turn asks first, or both would be told of the same room.
      const fits = (): boolean => {
        seen = this.#changes;
        return this.#returning === 0 && this.#fits(bytes);
      };
      // Who asks again hears what is wrong with the disk.
      const isOver = await this.#afterLook(bytes, fits).catch(() => true);
      if (isOver || this.#isHopeless(bytes)) return;
      if (seen === this.#changes) await this.#nextChange();
    }
  }

  /** `step` sees what the disk has now for one who wants `bytes`. Rejects with the disk's error. */
  async #afterLook(bytes: number, step: () => boolean): Promise<boolean> {
    this.#looking += 1;
    const look = this.#looks.then(async () => {
      await this.#look(bytes);
      return step();
    });
    this.#looks = look.catch(() => undefined);
    try {
      return await look;
    } finally {
      this.#looking -= 1;
    }
  }

  #take(bytes: number): boolean {
    if (!this.#fits(bytes)) return false;
    this.#turnTaken();
    this.#used += bytes;
    this.#diskRoom -= bytes;
    return true;
  }

  /** Somebody has asked: one of those who had their turn, if there are any. */
  #turnTaken(): void {
    if (this.#returning === 0) return;
    this.#returning -= 1;
    this.#changes += 1;
    this.#wake();
  }

  #fits(bytes: number): boolean {
    return this.#used + bytes <= this.#parts.limit && bytes <= this.#diskRoom;
  }

  async #look(wanted: number): Promise<void> {
    const { clean, limit } = this.#parts;
    if (this.#used + wanted > limit) await this.#dropIdle();
    await clean?.shrinkTo(limit - this.#used - wanted);
    this.#diskRoom = await this.#freeRoom();
    if (this.#diskRoom < wanted) {
      await this.#dropIdle();
      this.#diskRoom = await this.#freeRoom();
    }
    if (
      clean !== undefined &&
      clean.used > 0 &&
      this.#diskRoom < wanted &&
      (await clean.areElsewhere?.()) !== true
    ) {
      await clean.shrinkTo(clean.used - (wanted - this.#diskRoom));
      this.#diskRoom = await this.#freeRoom();
    }
    this.#lookedAt = this.#parts.clock.monotonic();
  }

  async #dropIdle(): Promise<void> {
    await Promise.all([...this.#idle].map((drop) => drop()));
  }

  async #freeRoom(): Promise<number> {
    const { free, total } = await this.#parts.disk();
    return free - total * FREE_SHARE;
  }

  #change(used: number, leaving: number): void {
    this.#used += used;
    this.#leaving += leaving;
    if (leaving < 0) this.#hope.arrived();
    if (this.#leaving === 0) this.#hope.renew();
    this.#changes += 1;
    this.#wake();
  }

  /** Or a while: other programs may have made room on the disk. */
  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(LOOK_AGE_MS, () => {
        // Some do not ask again, and nobody shall wait for them.
        this.#returning = 0;
        resolve();
      });
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
