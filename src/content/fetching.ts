/**
 * Which GET does a reader start? The rules of the request budget: a small file whole; a large one read in order by its first
 * window and its parts; here and there by missing blocks; and whole where the service does not honour Range.
 *
 * Nothing here waits: a GET is decided on and started in one step, or two readers would start it twice.
 */
import type { ByteRange } from '../base/byte-range.ts';
import { unlessLeaving, type Waiter } from '../base/waiter.ts';
import type { Landing } from './landing.ts';
import type { ReadContext } from './read-context.ts';
import { cellAfter, cellAt } from './read-plan.ts';
import type { ReadPattern } from './read-stream.ts';
import type { VersionBytes } from './version-bytes.ts';

/** Why a piece is wanted: as part of a read of `range`, and by whom. */
export interface Demand extends ReadPattern {
  readonly range: ByteRange;
  readonly waiter: Waiter;
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

  /** The GET that brings `piece`, started if need be; `wait` when one that is under way has to be awaited before. */
  landingFor(piece: ByteRange, demand: Demand): Landing | 'wait' {
    const underWay = this.#bytes.landingAt(piece.start);
    if (underWay !== undefined) return underWay;
    if (this.#comesWhole()) return this.#isWholeLanding() ? 'wait' : this.#bytes.fetch('whole');
    if (this.#isSupportOpen()) return 'wait';
    return this.#bytes.fetch(this.#stretchAround(piece, demand));
  }

  /** How far `readAhead` may look after a read that ends at `position`. */
  horizon(position: number): number {
    const { sizes } = this.#context;
    return Math.min(position + 2 * sizes.part, this.#bytes.version.size);
  }

  /** Starts GETs of the parts that a sequential reader at `position` will want soon. */
  readAhead(position: number): void {
    const { sizes, ranges } = this.#context;
    const { size } = this.#bytes.version;
    // A program that only looks at the beginning of a file shall not pay for more than the window.
    if (ranges.rangeSupport !== 'yes' || this.#comesWhole() || position <= sizes.firstWindow / 2) return;
    const here = cellAt(position - 1, size, sizes);
    const next = cellAfter(here, size, sizes);
    const second = next !== null && here.start > 0 ? cellAfter(next, size, sizes) : null;
    for (const cell of [next, second]) {
      for (const stretch of cell === null ? [] : this.#bytes.missing(cell)) {
        const bytes = stretch.end - stretch.start;
        if (!this.#context.takeReadAhead(bytes)) return;
        this.#bytes.fetch(stretch, () => {
          this.#context.giveReadAhead(bytes);
        });
      }
    }
  }

  /** After `wait`: until headers arrive or a GET ends. Rejects only with `Interrupted`, when `waiter` leaves. */
  async untilSomethingChanges(waiter: Waiter): Promise<void> {
    const landings = [...this.#bytes.landings];
    const change = Promise.race(
      landings.map((landing) => (landing.hasBegun ? landing.ended : landing.settled)),
    );
    await unlessLeaving(waiter, change);
  }

  /** What one GET for a missing piece should bring beside it. */
  #stretchAround(piece: ByteRange, demand: Demand): ByteRange {
    const { blockSize } = this.#context.cache;
    const { size } = this.#bytes.version;
    const cell = cellAt(piece.start, size, this.#context.sizes);
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

  #comesWhole(): boolean {
    return this.isSmall || this.#context.ranges.rangeSupport === 'no';
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
