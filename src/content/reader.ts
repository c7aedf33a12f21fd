/**
 * How do the bytes of one file version reach the programs that read it?
 *
 * From memory or disk when they are there; else by GETs whose number is exact: a small file in one plain GET; a large one read in
 * order as a first window and parts of one size; here and there only the blocks that are missing; and where the service does
 * not honour Range, the whole file once. All handles of a version share its reader, so that nobody fetches what another has
 * under way.
 */
import type { ByteRange } from '../base/byte-range.ts';
import type { ReadInto } from '../base/read-into.ts';
import { checkWaiting, STAYING, type Waiter } from '../base/waiter.ts';
import type { ObjectHead } from '../service/records.ts';
import { Fetching, type Demand } from './fetching.ts';
import { Gathering } from './gathering.ts';
import { LandsElsewhere } from './landing.ts';
import type { Asker } from './late-failures.ts';
import type { ReadContext } from './read-context.ts';
import { blockPieces } from './read-plan.ts';
import { ReadRun, type ReadStream } from './read-stream.ts';
import { SpoolFailed } from './spool.ts';
import { VersionBytes, type FileVersion } from './version-bytes.ts';
import { VersionCopy, type CopyTarget } from './version-copy.ts';

const HERE_AND_THERE = { sequential: false, from: 0, run: null, waiter: STAYING, asker: null };

/** One version's bytes, for all who read it. What a failed GET should have brought is asked for again by the next read. */
export class VersionReader {
  readonly #context: ReadContext;
  readonly #bytes: VersionBytes;
  readonly #plan: Fetching;
  /** Those that are read ahead of. */
  readonly #runs = new Set<ReadRun>();
  /** That of who has opened the file and reads it soon. */
  readonly #opened = new ReadRun(0);
  #handles = 0;

  constructor(context: ReadContext, key: string, version: FileVersion) {
    this.#context = context;
    this.#bytes = new VersionBytes(context, key, version, (position) => this.#isExpected(position));
    this.#plan = new Fetching(context, this.#bytes);
  }

  /** Where the version is stored now; follows a rename. */
  get key(): string {
    return this.#bytes.key;
  }

  set key(key: string) {
    this.#bytes.key = key;
  }

  /** Whether one plain GET brings the whole file. */
  get isSmall(): boolean {
    return this.#plan.isSmall;
  }

  /** A handle begins to read. */
  acquire(): void {
    this.#handles += 1;
    // What comes of a small file before its first read, and maybe all of it, is for whoever has just opened it.
    if (this.isSmall) this.#follow(this.#opened);
  }

  /**
   * A handle ends. After the last one, GETs with more than a first window to come are aborted; less is left to land, since the
   * next program may want it. What is kept stays readable, until others need its room.
   */
  release(): void {
    this.#handles -= 1;
    if (this.#handles > 0) return;
    this.#bytes.abort(this.#context.sizes.firstWindow);
    for (const run of this.#runs) this.#context.windows.leave(run);
    this.#runs.clear();
    this.#bytes.letGo();
  }

  /** Whether it has a temporary file on the disk. */
  get hasFile(): boolean {
    return this.#bytes.spool !== null;
  }

  /**
   * Aborts everything and deletes the temporary file. Cached blocks stay in the cache. Resolves when the file is gone; never rejects.
   */
  dispose(): Promise<void> {
    return this.#bytes.dispose();
  }

  /**
   * Fills `into` from byte `position`, or lends it bytes of blocks, and tells how many; fewer than asked means end of file. `stream`
   * belongs to the handle. Rejects with `VersionChanged` when bytes are missing here and the service has another version, or with a
   * `Refusal`, or with `Interrupted` when `waiter` leaves; the next read asks again. `into` is not touched after the promise has settled.
   */
  async read(
    into: ReadInto,
    position: number,
    stream: ReadStream,
    waiter: Waiter = STAYING,
  ): Promise<number> {
    const end = Math.min(position + into.length, this.#bytes.version.size);
    if (position >= end) return 0;
    const { clock } = this.#context;
    const asker = { stream, since: clock.monotonic() };
    stream.rests.readBegins(asker.since);
    try {
      return await this.#readTo(end, into, position, { asker, waiter });
    } catch (error) {
      stream.noteFailure(error, clock.monotonic() - asker.since);
      throw error;
    } finally {
      stream.rests.readEnds(clock.monotonic());
    }
  }

  async #readTo(
    end: number,
    into: ReadInto,
    position: number,
    who: { readonly asker: Asker; readonly waiter: Waiter },
  ): Promise<number> {
    const { stream } = who.asker;
    const pattern = stream.note(position, end);
    const looking = this.#bytes.disk.look({
      start: Math.min(pattern.from, position),
      end: pattern.sequential ? this.#plan.horizon(end, pattern.run) : end,
    });
    if (looking !== undefined) await looking;
    const filled = this.#fill(into, { start: position, end }, { ...pattern, ...who });
    if (pattern.sequential) this.#readAhead(end, pattern.run);
    await filled;
    return end - position;
  }

  #readAhead(position: number, run: ReadRun): void {
    this.#follow(run);
    if (this.#plan.readAhead(position, run)) this.#bytes.letGo();
  }

  /** Somebody is on the way of `run`, until nothing is read of it for a while. */
  #follow(run: ReadRun): void {
    this.#runs.add(run);
    this.#context.windows.touch(run, () => {
      this.#runs.delete(run);
      run.parts = 1;
      // Where a block begins: what is fetched from there on is kept in whole blocks.
      run.until = run.next - (run.next % this.#context.cache.blockSize);
      this.#bytes.letGo();
    });
  }

  /** What lies behind the runs, or comes for one that has ended, is for nobody in particular. */
  #isExpected(position: number): boolean {
    const { cache, sizes } = this.#context;
    const { comesWhole } = this.#plan;
    for (const { next, entered, until } of this.#runs) {
      // It comes from its first byte again for whatever the memory had no room for.
      const from = comesWhole ? next - cache.blockSize + 1 : entered;
      const to = comesWhole ? Infinity : Math.max(until, entered + sizes.part);
      if (from <= position && position < to) return true;
    }
    return false;
  }

  /**
   * Starts to fetch a small file whose bytes are neither here nor on their way, for a program that waits or, when `waiter` is null, one
   * that may come. Resolves at the headers with what they tell; with null when nothing was asked. Rejects as `read`.
   */
  async fetchSmall(waiter: Waiter | null): Promise<ObjectHead | null> {
    await this.#bytes.disk.look({ start: 0, end: this.#bytes.version.size });
    // As for a read: the local disk may have been slow to answer.
    if (waiter !== null) checkWaiting(waiter);
    return (await this.#plan.startSmall(waiter !== null)?.head(waiter ?? STAYING)) ?? null;
  }

  /**
   * Copies bytes `range` to the same positions of `target`, in order and without holding them all in memory; what is missing
   * comes in one GET a stretch and is not kept here. Out of order only when the service names the version meanwhile. Rejects as
   * `read`, or with what the target threw.
   */
  async copyTo(target: CopyTarget, range: ByteRange): Promise<void> {
    const read = (into: Uint8Array, piece: ByteRange): Promise<void> =>
      this.#fill(into, piece, HERE_AND_THERE);
    await new VersionCopy(this.#context, this.#bytes, { target, read, comesWhole: this.isSmall }).run(range);
  }

  async #fill(into: ReadInto, range: ByteRange, pattern: Omit<Demand, 'range'>): Promise<void> {
    const gathering = new Gathering(into, range.start, this.#context.cache.memory);
    try {
      await this.#gather(gathering, range, { ...pattern, range });
    } catch (error) {
      gathering.drop();
      throw error;
    }
    this.#bytes.markRead(range, pattern.sequential);
    gathering.hand();
  }

  async #gather(gathering: Gathering, range: ByteRange, demand: Demand): Promise<void> {
    const { version } = this.#bytes;
    let { id } = version;
    let pieces = this.#pieces(range);
    while (pieces.length > 0) {
      const steps = pieces.map((piece) => this.#provide(piece, gathering, demand));
      // All, also after a failure: nobody may write into the caller's buffer once it has its answer.
      const results = await Promise.allSettled(steps);
      const failure = results.find((result) => result.status === 'rejected');
      if (failure !== undefined) throw failure.reason;
      pieces = pieces
        .filter((_, index) => results[index]?.status === 'fulfilled' && results[index].value === 'again')
        .flatMap((piece) => this.#pieces(piece));
      if (id === version.id) continue;
      // What was kept until now may be of other bytes than those that have come (version.ts).
      ({ id } = version);
      gathering.drop();
      pieces = this.#pieces(range);
    }
  }

  /** At most a block each, and each either spooled or not; but whole blocks that the disk cache has side by side are one. */
  #pieces(range: ByteRange): ByteRange[] {
    const filled = this.#bytes.spool?.filled ?? 0;
    const pieces: ByteRange[] = [];
    for (const { start, end } of blockPieces(range, this.#context.cache.blockSize)) {
      const last = pieces.at(-1);
      if (last !== undefined && this.#bytes.isOneOnDisk({ start: last.start, end })) {
        pieces[pieces.length - 1] = { start: last.start, end };
      } else if (start < filled && filled < end) {
        pieces.push({ start, end: filled }, { start: filled, end });
      } else pieces.push({ start, end });
    }
    return pieces;
  }

  /** Adds one piece to what is gathered. `again`: something has changed that this piece waited for, so look once more. */
  async #provide(piece: ByteRange, gathering: Gathering, demand: Demand): Promise<'done' | 'again'> {
    const length = piece.end - piece.start;
    const block = this.#bytes.block(piece.start);
    if (block !== undefined) {
      gathering.found(piece, block);
      this.#context.served.memory += length;
      return 'done';
    }
    if (this.#bytes.isOnDisk(piece.start)) return this.#provideFromDisk(piece, gathering);
    const { spool } = this.#bytes;
    const isSpooled = spool !== null && spool.filled >= piece.end;
    if (!isSpooled) {
      // Before a GET is started for somebody who has left.
      checkWaiting(demand.waiter);
      this.#plan.checkFailed(piece, demand);
    }
    const landing = isSpooled ? null : this.#plan.landingFor(piece, demand);
    try {
      if (landing === 'wait' || landing === 'full') {
        await (landing === 'wait'
          ? this.#plan.untilSomethingChanges(demand.waiter)
          : this.#plan.untilThereIsRoom(demand.waiter));
        return 'again';
      }
      if (isSpooled) await spool.read(piece, gathering.room(piece));
      else await landing?.serve(piece, gathering, demand.waiter);
      this.#context.served[isSpooled ? 'disk' : 'service'] += length;
      return 'done';
    } catch (error) {
      if (error instanceof LandsElsewhere) return 'again';
      if (!(error instanceof SpoolFailed)) throw error;
      if (isSpooled) this.#bytes.distrustDisk(error);
      return 'again';
    }
  }

  async #provideFromDisk(piece: ByteRange, gathering: Gathering): Promise<'done' | 'again'> {
    const length = piece.end - piece.start;
    if (this.#bytes.isOneOnDisk(piece)) {
      if (!(await this.#bytes.readFromDisk(piece.start, gathering.room(piece)))) return 'again';
      this.#context.served.disk += length;
      return 'done';
    }
    // Only whole blocks can be checked; its other parts will be wanted soon.
    const { blockSize, memory } = this.#context.cache;
    const start = piece.start - (piece.start % blockSize);
    const block = memory.take(Math.min(blockSize, this.#bytes.version.size - start));
    try {
      if (!(await this.#bytes.readFromDisk(start, block))) return 'again';
      this.#bytes.keepInMemory(start / blockSize, block);
      gathering.found(piece, block);
    } finally {
      memory.letGo(block);
    }
    this.#context.served.disk += length;
    return 'done';
  }
}
