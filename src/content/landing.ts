/**
 * Where do the bytes of one GET go while they land?
 *
 * Into blocks for the cache, or into a spool for a version that came whole and is too large for memory; and, at the same
 * moment, to the reads that wait for them, so that a read is never late because the cache has already dropped a block again: to one
 * that wants all the rest of a block with the block itself, to the others by copy, as they land.
 */
import type { ByteRange } from '../base/byte-range.ts';
import type { Clock } from '../base/clock.ts';
import { Interrupted, RETURN_TIME, type Waiter } from '../base/waiter.ts';
import type { ObjectHead } from '../service/records.ts';
import type { RangeSink } from '../store/range-reader.ts';
import type { BlockMemory } from '../base/block-memory.ts';
import type { Gathering } from './gathering.ts';
import type { Spool } from './spool.ts';

/** What keeps the bytes after they landed. */
export interface LandingPlace {
  /** Bytes of the whole file. */
  readonly fileSize: number;
  /** For the blocks. */
  readonly memory: BlockMemory;
  /** At the headers. The spool that shall take the bytes; null to be handed blocks. May reject with `LandsElsewhere`. */
  prepare(range: ByteRange): Promise<Spool | null>;
  /** A complete block; whoever keeps it holds it. */
  keep(index: number, block: Uint8Array): void;
  readonly clock: Pick<Clock, 'after'>;
  /** When the GET was asked for, monotonic milliseconds. */
  readonly since: number;
  /** Nothing landed since the last program that waited for this GET left: it is to be aborted. */
  abandon(): void;
}

interface Served {
  readonly range: ByteRange;
  readonly gathering: Gathering;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Another GET brings the same bytes by now: who waits looks again. */
export class LandsElsewhere extends Error {
  override readonly name = 'LandsElsewhere';
}

/** One GET under way, from its start to `finish`. */
export class Landing implements RangeSink {
  /** Resolves at the headers of the answer, or at a failure before them. */
  readonly settled: Promise<void>;
  /** Resolves when the GET has ended either way. */
  readonly ended: Promise<void>;
  readonly #place: LandingPlace;
  readonly #abort = new AbortController();
  #range: ByteRange;
  /** The first byte that has not landed yet. */
  #landed: number;
  #spool: Spool | null = null;
  /** The block that is being filled. */
  #block: Uint8Array | null = null;
  #served: Served[] = [];
  /** Programs that wait for the headers. */
  #headsAwaited = 0;
  /** The end that was planned when nobody waited does not come. */
  #stay: () => void = () => undefined;
  #hasBegun = false;
  #head: ObjectHead | null = null;
  #failure: unknown = null;
  #resolveSettled: () => void = () => undefined;
  #resolveEnded: () => void = () => undefined;

  /** For a GET of `range`, which begins and ends at block boundaries or at the end of the file. */
  constructor(range: ByteRange, place: LandingPlace) {
    this.#range = range;
    this.#landed = range.start;
    this.#place = place;
    this.settled = new Promise((resolve) => {
      this.#resolveSettled = resolve;
    });
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  /** Whether the headers have arrived: until then, whether Range is honoured may be open. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** When it was asked for, monotonic milliseconds. */
  get since(): number {
    return this.#place.since;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** What it brings. */
  get range(): ByteRange {
    return this.#range;
  }

  /** Whether it brings the whole file. */
  get isWhole(): boolean {
    return this.#range.start === 0 && this.#range.end >= this.#place.fileSize;
  }

  /** Bytes still to come. */
  get remaining(): number {
    return this.#range.end - this.#landed;
  }

  abort(): void {
    this.#abort.abort();
  }

  /** Whether `serve` can still deliver everything from `position` on, up to the landing's end. */
  covers(position: number): boolean {
    const kept = this.#block === null ? this.#landed : this.#blockStart(this.#landed);
    return position >= kept && position < this.#range.end;
  }

  /** Whether everything that it covers before `position` has landed. */
  hasLanded(position: number): boolean {
    return position <= this.#landed;
  }

  /**
   * Adds bytes `range`, of one block and all of them covered, to what is gathered. Rejects when the landing fails first, and with
   * `Interrupted` when `waiter` leaves. When it was the last one and nothing lands for a while, the landing is abandoned.
   */
  async serve(range: ByteRange, gathering: Gathering, waiter: Waiter): Promise<void> {
    if (range.start < this.#landed && this.#block !== null && !this.#waitsForBlock({ range, gathering })) {
      gathering.copy({ start: range.start, end: Math.min(this.#landed, range.end) }, this.#block);
    }
    if (range.end <= this.#landed) return;
    this.#stay();
    let leave = (): void => undefined;
    const { signal } = waiter;
    try {
      await new Promise<void>((resolve, reject) => {
        const served = { range, gathering, resolve, reject };
        this.#served.push(served);
        leave = () => {
          this.#leave(served);
        };
        signal?.addEventListener('abort', leave, { once: true });
      });
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  /** What the headers tell. Rejects when the GET fails before them; when `waiter` leaves, the landing may be abandoned as by `serve`. */
  async head({ signal }: Waiter): Promise<ObjectHead> {
    this.#stay();
    this.#headsAwaited += 1;
    let isAwaited = true;
    const leave = (): void => {
      if (isAwaited) this.#headsAwaited -= 1;
      isAwaited = false;
    };
    const leaveEarly = (): void => {
      leave();
      this.#planEnd();
    };
    signal?.addEventListener('abort', leaveEarly, { once: true });
    await this.settled;
    signal?.removeEventListener('abort', leaveEarly);
    leave();
    if (this.#head === null) throw this.#failure;
    return this.#head;
  }

  async begin(range: ByteRange, head: ObjectHead): Promise<void> {
    this.#head = head;
    this.#spool = await this.#place.prepare(range);
    this.#range = range;
    this.#landed = range.start;
    this.#hasBegun = true;
    this.#resolveSettled();
  }

  async chunk(data: Uint8Array, position: number): Promise<void> {
    // Written before anybody is told: a read that comes meanwhile waits here instead of finding a hole in the spool.
    this.#stay();
    if (this.#spool !== null) await this.#spool.write(data, position);
    else this.#fillBlocks(data, position);
    this.#landed = position + data.length;
    this.#deliver(data, position);
  }

  /** After the GET: everything landed, or `error` ended it. */
  finish(error?: unknown): void {
    this.#stay();
    this.#failure = error;
    this.#resolveSettled();
    for (const { reject } of this.#served) reject(error ?? new Error('the body ended early'));
    this.#served = [];
    this.#letGoOfBlock();
    this.#resolveEnded();
  }

  #fillBlocks(data: Uint8Array, position: number): void {
    for (let from = 0; from < data.length;) {
      const at = position + from;
      const start = this.#blockStart(at);
      const { memory } = this.#place;
      const block = (this.#block ??= memory.take(Math.min(memory.blockSize, this.#range.end - start)));
      const piece = data.subarray(from, from + block.length - (at - start));
      block.set(piece, at - start);
      from += piece.length;
      if (at - start + piece.length === block.length) {
        this.#place.keep(start / memory.blockSize, block);
        this.#hand(block, start);
        this.#letGoOfBlock();
      }
    }
  }

  /** To those that wait for the whole of it. */
  #hand(block: Uint8Array, start: number): void {
    this.#served = this.#served.filter((served) => {
      const { range, gathering, resolve } = served;
      if (this.#blockStart(range.start) !== start || !this.#waitsForBlock(served)) return true;
      gathering.found(range, block);
      resolve();
      return false;
    });
  }

  /** To those that wait for copies. */
  #deliver(data: Uint8Array, position: number): void {
    const end = position + data.length;
    this.#served = this.#served.filter((served) => {
      if (this.#waitsForBlock(served)) return true;
      const { range, gathering, resolve } = served;
      const from = Math.max(position, range.start);
      const until = Math.min(end, range.end);
      if (from < until)
        gathering.room({ start: from, end: until }).set(data.subarray(from - position, until - position));
      if (end < range.end) return true;
      resolve();
      return false;
    });
  }

  /** Whether it gets its bytes with the block, when that is whole: it would not have all of them any sooner. */
  #waitsForBlock({ range, gathering }: Pick<Served, 'range' | 'gathering'>): boolean {
    const end = this.#blockStart(range.start) + this.#place.memory.blockSize;
    const reachesEnd = range.end === Math.min(end, this.#place.fileSize);
    return this.#spool === null && reachesEnd && gathering.canLend(range);
  }

  #leave(served: Served): void {
    if (!this.#served.includes(served)) return;
    // First of all: nobody may write into the buffer of a program that has its answer.
    this.#served = this.#served.filter((other) => other !== served);
    served.reject(new Interrupted());
    this.#planEnd();
  }

  /** Somebody has left. */
  #planEnd(): void {
    if (this.#served.length > 0 || this.#headsAwaited > 0) return;
    this.#stay();
    this.#stay = this.#place.clock.after(RETURN_TIME, () => {
      this.#place.abandon();
    });
  }

  #letGoOfBlock(): void {
    if (this.#block !== null) this.#place.memory.letGo(this.#block);
    this.#block = null;
  }

  #blockStart(position: number): number {
    return position - (position % this.#place.memory.blockSize);
  }
}
