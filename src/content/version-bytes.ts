/**
 * Which bytes of one file version are here, which are on their way, and which are missing?
 *
 * Everything that decides is synchronous: between the look and the fetch that follows from it nobody else can start the same
 * fetch, so no byte is asked for twice.
 */
import type { ByteRange } from '../base/byte-range.ts';
import { describeError } from '../base/errors.ts';
import type { ExpectedVersion } from '../store/range-reader.ts';
import { BLOCKS_PER_GROUP } from './disk-cache/group-format.ts';
import { Landing, LandsElsewhere } from './landing.ts';
import { LateFailures } from './late-failures.ts';
import type { ReadContext } from './read-context.ts';
import { SpoolFailed, type Spool } from './spool.ts';
import { VersionOnDisk } from './version-on-disk.ts';
import { VersionSpool } from './version-spool.ts';

/** The version that a reader reads; `Version` is one. `id` names its cached blocks and may change at the first answer. */
export interface FileVersion extends ExpectedVersion {
  readonly id: number;
  /** Null: the service has not named it yet. */
  readonly etag: string | null;
}

/** One version's bytes here and on their way. */
export class VersionBytes {
  readonly version: FileVersion;
  readonly disk: VersionOnDisk;
  readonly failures: LateFailures;
  /** Where the version is stored now; follows a rename. */
  key: string;
  readonly #context: ReadContext;
  readonly #isExpected: (position: number) => boolean;
  readonly #landings = new Set<Landing>();
  /** The first of them that turned out to bring the whole file. */
  #whole: Landing | null = null;
  readonly #spooling: VersionSpool;
  #cachedId: number;

  /** `isExpected`: whether some program is on its way to the byte at a position. */
  constructor(
    context: ReadContext,
    key: string,
    version: FileVersion,
    isExpected: (position: number) => boolean,
  ) {
    this.#context = context;
    this.#isExpected = isExpected;
    this.key = key;
    this.version = version;
    this.#cachedId = version.id;
    this.disk = new VersionOnDisk(context, this);
    this.failures = new LateFailures(context.clock);
    this.#spooling = new VersionSpool(context, version, this.disk);
  }

  get landings(): Iterable<Landing> {
    return this.#landings;
  }

  /** The file from byte 0 to `filled`, if there is one. */
  get spool(): Spool | null {
    return this.#spooling.spool;
  }

  /** The block at `position`, if it is in memory. */
  block(position: number): Uint8Array | undefined {
    return this.#context.cache.get(this.#id(), Math.floor(position / this.#context.cache.blockSize));
  }

  /** Whether the block at `position` is in the disk cache, and nowhere nearer. */
  isOnDisk(position: number): boolean {
    const index = Math.floor(position / this.#context.cache.blockSize);
    return this.disk.content?.has(index) === true && !this.#context.cache.has(this.#id(), index);
  }

  /** Whether `range` is whole blocks that one reading of the disk cache brings. */
  isOneOnDisk({ start, end }: ByteRange): boolean {
    const { blockSize } = this.#context.cache;
    if (start % blockSize !== 0 || (end % blockSize !== 0 && end !== this.version.size)) return false;
    const [first, last] = [start / blockSize, Math.ceil(end / blockSize) - 1];
    if (Math.floor(first / BLOCKS_PER_GROUP) !== Math.floor(last / BLOCKS_PER_GROUP)) return false;
    for (let index = first; index <= last; index += 1) if (!this.isOnDisk(index * blockSize)) return false;
    return true;
  }

  /** Fills `into` with whole blocks from `position` on, for which `isOneOnDisk` holds. False: they are not there after all. */
  async readFromDisk(position: number, into: Uint8Array): Promise<boolean> {
    return (await this.disk.content?.read(position / this.#context.cache.blockSize, into)) === true;
  }

  /** Keeps in memory what was read from the disk. */
  keepInMemory(index: number, block: Uint8Array): void {
    this.#context.cache.set(this.#id(), index, block);
  }

  /** A program has read `range`: in order, and so goes on with the block that it ends in; or here and there. */
  markRead({ start, end }: ByteRange, isInOrder: boolean): void {
    const { cache } = this.#context;
    const id = this.#id();
    const isWhole = !isInOrder || end >= this.version.size;
    const last = isWhole ? Math.ceil(end / cache.blockSize) : Math.floor(end / cache.blockSize);
    for (let index = Math.floor(start / cache.blockSize); index < last; index += 1) cache.markRead(id, index);
  }

  /** A program is on its way to `range`, of which at most so many bytes are kept for it that `most` are spoken for in all. */
  expect({ start, end }: ByteRange, most: number): void {
    const { cache } = this.#context;
    const id = this.#id();
    for (let index = Math.floor(start / cache.blockSize); index * cache.blockSize < end; index += 1) {
      cache.markUnread(id, index, most);
    }
  }

  /** What has landed makes room for others, but for what is expected still. */
  letGo(): void {
    const { cache } = this.#context;
    cache.markAllRead(this.#id(), (index) => this.#isExpected(index * cache.blockSize));
  }

  /** Bytes of memory that a GET of the whole file takes while it lands. */
  get roomForWhole(): number {
    return this.#spooling.isLarge ? 0 : this.version.size;
  }

  /** The GET that will bring the byte at `position` and those after it in its block. */
  landingAt(position: number): Landing | undefined {
    for (const landing of this.#landings) if (landing.covers(position)) return landing;
    return undefined;
  }

  /** Whether the block that begins at `start` neither is here nor on its way. */
  isMissing(start: number): boolean {
    return !this.#holds(start) && this.landingAt(Math.max(start, this.spool?.filled ?? 0)) === undefined;
  }

  /**
   * The missing stretches of `range`, which ends at a block boundary or at the end of the file. Each begins where a block does, wherever
   * the range begins: a block is kept whole, and what did not land of it would be whatever had been in that memory.
   */
  *missing(range: ByteRange): Generator<ByteRange> {
    const { blockSize } = this.#context.cache;
    for (let start = range.start - (range.start % blockSize); start < range.end; start += blockSize) {
      if (!this.isMissing(start)) continue;
      const gap = this.gapFrom(start, range.end);
      yield gap;
      start = gap.end;
    }
  }

  /** How far the missing block that begins at `start` and its missing neighbours reach, at most to `limit`. */
  gapFrom(start: number, limit: number): ByteRange {
    const { blockSize } = this.#context.cache;
    let end = start + blockSize;
    while (end < limit && this.isMissing(end)) end += blockSize;
    return { start, end: Math.min(end, limit) };
  }

  /** Starts one GET, for whose bytes room is claimed. It goes on until it has landed, failed, or is aborted. */
  fetch(range: ByteRange | 'whole'): Landing {
    const { key } = this;
    const { cache } = this.#context;
    let claimed = range === 'whole' ? this.roomForWhole : range.end - range.start;
    const giveBack = (bytes: number): void => {
      const given = Math.min(bytes, claimed);
      claimed -= given;
      if (given > 0) cache.giveBack(given);
    };
    const since = this.#context.clock.monotonic();
    const landing = new Landing(range === 'whole' ? { start: 0, end: this.version.size } : range, {
      fileSize: this.version.size,
      memory: cache.memory,
      prepare: async (landed) => {
        if (landed.end - landed.start >= this.version.size) await this.#noteWhole(landing, range);
        const spool = await this.#spooling.prepare(landed);
        if (spool !== null) giveBack(claimed);
        // The whole file for a part: Range is not honoured.
        const more = spool === null && !this.#spooling.isLarge ? landed.end - landed.start - claimed : 0;
        if (more > 0 && cache.claimNow(more)) claimed += more;
        return spool;
      },
      keep: (index, block) => {
        giveBack(block.length);
        const id = this.#id();
        cache.set(id, index, block, this.#isExpected(index * cache.blockSize) ? 'unread' : 'read');
        this.disk.content?.keep(index, block, () => cache.peek(id, index));
      },
      clock: this.#context.clock,
      since,
      abandon: () => {
        this.#abort(landing);
      },
    });
    this.#landings.add(landing);
    const request = { key, range, expected: this.version, signal: landing.signal };
    const end = (error?: unknown): void => {
      giveBack(claimed);
      this.#forget(landing);
      if (error instanceof SpoolFailed && !landing.signal.aborted) this.distrustDisk(error);
      else if (error !== undefined) {
        this.#context.log.debug('a read of the service failed', { key, reason: describeError(error) });
        this.failures.note(landing.range, error, since);
      }
      landing.finish(error);
    };
    this.#context.ranges.read(request, landing).then(() => {
      end();
      if (landing.isWhole) this.#spooling.save();
    }, end);
    return landing;
  }

  /** The local disk failed: what is spooled counts as gone, and nothing is spooled again for this version. */
  distrustDisk(error: unknown): void {
    this.#spooling.distrust(error);
  }

  /** Ends the GETs that have more than `bytes` to come. */
  abort(bytes: number): void {
    for (const landing of this.#landings) {
      if (landing.remaining > bytes) this.#abort(landing);
    }
  }

  /** Resolves when its temporary file is gone; never rejects. */
  async dispose(): Promise<void> {
    this.abort(-1);
    this.#context.cache.markAllRead(this.#id());
    await this.#spooling.drop();
  }

  #abort(landing: Landing): void {
    // At once, or a new reader would wait for bytes that never come.
    this.#forget(landing);
    landing.abort();
  }

  #forget(landing: Landing): void {
    this.#landings.delete(landing);
    if (this.#whole === landing) this.#whole = null;
  }

  /**
   * Where Range is ignored now and then, several parts may be answered so. Rejects with `LandsElsewhere` when an earlier one brings
   * what this one was to bring.
   */
  async #noteWhole(landing: Landing, asked: ByteRange | 'whole'): Promise<void> {
    const whole = (this.#whole ??= landing);
    if (whole === landing || asked === 'whole') return;
    await whole.settled;
    if (whole === this.#whole && whole.covers(asked.start)) throw new LandsElsewhere();
  }

  /** Whether the block at `position` is here. */
  #holds(position: number): boolean {
    const { cache } = this.#context;
    const index = Math.floor(position / cache.blockSize);
    const end = Math.min((index + 1) * cache.blockSize, this.version.size);
    if (cache.has(this.#id(), index) || this.disk.content?.has(index) === true) return true;
    return this.spool !== null && this.spool.filled >= end;
  }

  /** Blocks kept before the service named our upload, under a name that turned out not to be proof of its bytes, go. */
  #id(): number {
    if (this.#cachedId !== this.version.id) {
      this.#context.cache.dropVersion(this.#cachedId);
      this.#cachedId = this.version.id;
    }
    return this.#cachedId;
  }
}
