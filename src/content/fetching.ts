/**
 * Which GET does a reader start? The rules of the request budget: a small file whole; a large one read in order by its first
 * window and its parts; here and there by missing blocks; and whole where the service does not honour Range.
 *
 * Nothing here waits: a GET is decided on and started in one step, or two readers would start it twice.
 */
import type { ByteRange } from '../base/byte-range.ts';
import { unlessLeaving, type Waiter } from '../base/waiter.ts';
import type { Asker } from './late-failures.ts';
import type { Landing } from './landing.ts';
import type { ReadContext } from './read-context.ts';
import { cellAt, MOST_PARTS, sizesWithin } from './read-plan.ts';
import type { ReadPattern, ReadRun } from './read-stream.ts';
import type { VersionBytes } from './version-bytes.ts';

/** Why a piece is wanted: as part of a read of `range`, and by whom. */
export interface Demand extends Pick<ReadPattern, 'sequential' | 'from'> {
  readonly range: ByteRange;
  /** Null: it is no program's read. */
  readonly run: ReadRun | null;
  readonly waiter: Waiter;
  /** Null: as `run`. */
  readonly asker: Asker | null;
}

/** One version's decisions. Throws nothing: failures reach those who wait for the landing. */
export class Fetching {
  readonly #context: ReadContext;
  readonly #bytes: VersionBytes;

  constructor(context: ReadContext, bytes: VersionBytes) {
    this.#context = context;
    this.#bytes = bytes;
  }

  /** Whether one plain GET brings the file in any case. */
  get isSmall(): boolean {
    return this.#bytes.version.size <= this.#context.sizes.firstWindow;
  }

  /** Whether one GET brings the whole file, whatever is wanted of it. */
  get comesWhole(): boolean {
    return this.isSmall || this.#context.ranges.rangeSupport === 'no';
  }

  /**
   * The GET that brings `piece`, started if need be; `wait` when one that is under way has to be awaited before, `full` when there
   * has to be room first.
   */
  landingFor(piece: ByteRange, demand: Demand): Landing | 'wait' | 'full' {
    const underWay = this.#bytes.landingAt(piece.start);
    if (underWay !== undefined) return underWay;
    if (this.comesWhole) return this.#isWholeLanding() ? 'wait' : this.#claimed('whole');
    if (this.#isSupportOpen()) return 'wait';
    const { blockSize, maxBytes } = this.#context.cache;
    const start = piece.start - (piece.start % blockSize);
    // What was fetched ahead has gone again; what is fetched next begins there, and a block is kept whole.
    if (demand.run !== null) demand.run.until = Math.min(demand.run.until, start);
    const stretch = this.#stretchAround(piece, demand);
    const { windows } = this.#context;
    const most = demand.sequential ? windows.most : maxBytes;
    if (this.#context.cache.claim(stretch.end - stretch.start, most)) return this.#bytes.fetch(stretch);
    return this.#claimed({ start, end: Math.min(start + blockSize, this.#bytes.version.size) });
  }

  /**
   * Throws what the GET of a piece has failed with a moment ago, after a program had waited long for it, also when another program has had
   * it asked for again since. While nobody knows whether Range is honoured, each may bring the whole file, and all wait for the first.
   */
  checkFailed(piece: ByteRange, { asker }: Demand): void {
    // Only programs ask by way of the kernel.
    if (asker === null) return;
    const again = this.#bytes.landingAt(piece.start);
    if (again?.hasLanded(piece.end) === true) return;
    const isAny = again === undefined && this.#context.ranges.rangeSupport === 'unknown';
    this.#bytes.failures.check(isAny ? null : piece.start, asker, again?.since);
  }

  /** The GET of a small file, started if its bytes are neither here nor on their way; null otherwise, or when there is no room. */
  startSmall(isWanted: boolean): Landing | null {
    const { size } = this.#bytes.version;
    const [gap] = this.#bytes.missing({ start: 0, end: size });
    if (!this.isSmall || gap === undefined || this.#isWholeLanding()) return null;
    const { cache, windows } = this.#context;
    // None is claimed for what goes to the local disk: it would never be given back.
    const room = this.#bytes.roomForWhole;
    const hasRoom = isWanted ? cache.claimNow(room) : cache.claim(room, windows.most);
    return hasRoom ? this.#bytes.fetch('whole') : null;
  }

  /** How far `readAhead` may look after a read of `run` that ends at `position`. */
  horizon(position: number, run: ReadRun): number {
    const ahead = (2 * run.parts + 1) * this.#context.sizes.part;
    return Math.min(position + ahead, this.#bytes.version.size);
  }

  /**
   * Starts GETs of the parts that a sequential reader at `position` will want soon: one after the first window, and twice as many
   * with each part that it enters. True when it has entered one. The run was touched.
   */
  readAhead(position: number, run: ReadRun): boolean {
    const { sizes, ranges, windows, cache } = this.#context;
    const { size } = this.#bytes.version;
    // A program that only looks at the beginning of a file shall not pay for more than the window.
    if (ranges.rangeSupport !== 'yes' || this.comesWhole || position <= sizes.firstWindow / 2) return false;
    windows.open(run);
    const { share } = windows;
    const fitted = sizesWithin(sizes, share, cache.blockSize);
    const here = cellAt(position - 1, size, fitted);
    const hasEntered = here.start > run.entered;
    if (hasEntered) {
      run.entered = here.start;
      run.parts = Math.min(MOST_PARTS, run.parts * 2);
    }
    const limit = Math.min(size, here.end + run.parts * fitted.part, position + share);
    for (let from = Math.max(here.end, run.until); from < limit;) {
      const cell = cellAt(from, size, fitted);
      if (cell.end > limit) break;
      this.#bytes.expect({ start: from, end: cell.end }, windows.most);
      for (const stretch of this.#bytes.missing({ start: from, end: cell.end })) {
        if (!cache.claim(stretch.end - stretch.start, windows.most)) return hasEntered;
        this.#bytes.fetch(stretch);
      }
      run.until = from = cell.end;
    }
    return hasEntered;
  }

  /** After `wait`: until headers arrive or a GET ends. Rejects only with `Interrupted`, when `waiter` leaves. */
  async untilSomethingChanges(waiter: Waiter): Promise<void> {
    const landings = [...this.#bytes.landings];
    const change = Promise.race(
      landings.map((landing) => (landing.hasBegun ? landing.ended : landing.settled)),
    );
    await unlessLeaving(waiter, change);
  }

  /** After `full`: until there may be room. Rejects only with `Interrupted`, when `waiter` leaves. */
  untilThereIsRoom(waiter: Waiter): Promise<void> {
    return unlessLeaving(waiter, this.#context.cache.whenRoom());
  }

  /** A GET for a program that waits, which comes before all that nobody waits for yet. */
  #claimed(range: ByteRange | 'whole'): Landing | 'full' {
    const bytes = range === 'whole' ? this.#bytes.roomForWhole : range.end - range.start;
    return this.#context.cache.claimNow(bytes) ? this.#bytes.fetch(range) : 'full';
  }

  /** What one GET for a missing piece should bring beside it. */
  #stretchAround(piece: ByteRange, demand: Demand): ByteRange {
    const { blockSize } = this.#context.cache;
    const { size } = this.#bytes.version;
    const { sizes, windows } = this.#context;
    const cell = cellAt(piece.start, size, sizesWithin(sizes, windows.share, blockSize));
    const block = piece.start - (piece.start % blockSize);
    const from = demand.sequential
      ? Math.max(cell.start, Math.min(demand.from, piece.start))
      : demand.range.start;
    const until = demand.sequential ? cell.end : Math.ceil(demand.range.end / blockSize) * blockSize;
    const around = { start: from - (from % blockSize), end: Math.min(until, size) };
    const gaps = [...this.#bytes.missing(around)];
    const gap = gaps.find(({ start, end }) => start <= block && block < end);
    return gap ?? { start: block, end: Math.min(block + blockSize, size) };
  }

  #isWholeLanding(): boolean {
    return [...this.#bytes.landings].some((landing) => landing.isWhole);
  }

  /** While the first answer is on its way it may turn out to be the whole file: a second GET would fetch bytes twice. */
  #isSupportOpen(): boolean {
    const { rangeSupport } = this.#context.ranges;
    return rangeSupport === 'unknown' && [...this.#bytes.landings].some((landing) => !landing.hasBegun);
  }
}
