/**
 * Which bytes of the service are on the local disk, also after a remount?
 *
 * Nobody waits for what is kept here: blocks are written a few groups at a time behind the reads that brought them, and when they
 * come faster than the disk takes them, those are not kept that have gone from memory meanwhile. A disk that fails costs requests,
 * never an error.
 */
import { areWholePages } from '../../base/aligned-memory.ts';
import { systemErrorCode } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { BlockMemory } from '../../base/block-memory.ts';
import { DiskCalls } from '../disk-calls.ts';
import type { CleanBytes } from '../space-budget.ts';
import { CacheDirectory } from './cache-directory.ts';
import { CacheFaults } from './cache-faults.ts';
import { CacheRoom } from './cache-room.ts';
import { CachedContent, type BlockGroups, type BlocksOfKey } from './cached-content.ts';
import type { BlockRun } from './block-run.ts';
import { DirectWrites } from '../direct-writes.ts';
import type { GroupFile } from './group-file.ts';
import { hashOf, type ContentName } from './group-format.ts';
import { OpenGroups } from './open-groups.ts';
import { QuietTime } from './quiet-time.ts';
import { runsOf, WaitingBlocks, type InMemory, type WaitingGroup } from './waiting-blocks.ts';

/** Groups written at the same time: each takes some trips to other threads, during which a fast line brings megabytes. */
const MOST_WRITERS = 8;
/** Bytes that a run of blocks may take beside its own: the header, and where it begins and ends within a block of the disk. */
const MOST_OVERHEAD = 3 * 4096;
/** The part of what may wait that waits until nobody reads: what is more than that has to be written beside the reads. */
const SHARE_AT_REST = 3 / 4;
/** Milliseconds for which the end of a mount waits for a look at the directory, if there is anything to be kept. */
const LOOK_PATIENCE_MS = 1000;
/** The part of the limit that one file may take which somebody wants to keep whole: it would push out what is read more often. */
const SHARE_OF_ONE = 1 / 4;

export interface DiskCacheParts {
  /** Made when missing. Other processes may use it too. */
  readonly directory: string;
  /** Bytes that it may take. */
  readonly limit: number;
  /** Bytes that may wait in memory to be written; what comes beyond is kept when it is in memory long enough. */
  readonly mostWaiting: number;
  /** Where blocks come from, and their size: what waits is held. */
  readonly memory: BlockMemory;
  readonly clock: Clock;
  readonly log: Log;
}

/** The disk cache of one mount. `start` comes first, `close` last. */
export class DiskCache implements BlockGroups, CleanBytes {
  readonly #parts: DiskCacheParts;
  readonly #faults: CacheFaults;
  readonly #directory: CacheDirectory;
  readonly #room: CacheRoom;
  readonly #groups: OpenGroups;
  readonly #waiting: WaitingBlocks;
  readonly #quiet: QuietTime;
  #isClosed = false;
  /** Those who wait for room. */
  #awaited = 0;
  /** Settles when the directory was looked at. */
  #ready: Promise<void> = Promise.resolve();
  #writers = 0;

  constructor(parts: DiskCacheParts) {
    this.#parts = parts;
    this.#faults = new CacheFaults(parts);
    this.#waiting = new WaitingBlocks(parts.mostWaiting, parts.memory);
    const { directory: path, limit, clock, memory } = parts;
    this.#quiet = new QuietTime(clock, () => {
      this.#writeMore();
    });
    this.#groups = new OpenGroups({
      pathOf: (name) => this.#directory.pathOf(name),
      blockSize: memory.blockSize,
      calls: new DiskCalls(clock),
      direct: new DirectWrites({
        isAligned: areWholePages,
        isBehind: () => this.#waiting.areTooMany,
        log: parts.log,
      }),
      clock,
      orLog: (action) => this.#faults.orLog(action),
    });
    const deleted = (name: string): void => {
      this.#groups.drop(name);
    };
    this.#directory = new CacheDirectory({ path, clock, deleted });
    this.#room = new CacheRoom({ directory: path, limit, used: () => this.#directory.used, clock });
  }

  /** Where blocks that it is to keep had better come from. */
  get memory(): BlockMemory {
    return this.#parts.memory;
  }

  /** Bytes on the disk, as far as is known. */
  get used(): number {
    return this.#directory.used;
  }

  /** Its limit is for these bytes as well, which come first. */
  makeRoomFor(others: () => number): void {
    this.#room.shareWith(others);
  }

  /** Deletes what was used longest ago, until there are no more than `bytes`. Never rejects. */
  async shrinkTo(bytes: number): Promise<void> {
    if (this.#directory.used <= bytes) return;
    await this.#faults.orLog(async () => {
      await this.#directory.shrinkTo(Math.max(0, bytes));
    });
  }

  /** Looks in the background at what is there. */
  start(): void {
    this.#ready = this.#faults.orLog(() => this.#directory.prepare());
  }

  /** What is here of `name`. */
  content(name: ContentName): CachedContent {
    return new CachedContent(this, hashOf(name), name.key);
  }

  /** The group's file, if it was opened lately; what it says of its blocks is true until something is awaited. */
  opened(hash: string, group: number): GroupFile | undefined {
    return this.#groups.get(nameOf(hash, group));
  }

  /** Resolves when `opened` knows the group. Never rejects: what cannot be read is not there. */
  open(hash: string, group: number): Promise<void> {
    return this.#groups.open(nameOf(hash, group), hash);
  }

  /** As `GroupFile.read`; false, too, when the disk fails. */
  async read(hash: string, group: number, { key, first, into }: BlocksOfKey): Promise<boolean> {
    const name = nameOf(hash, group);
    const file = this.#groups.get(name);
    if (file === undefined) return false;
    try {
      const isWhole = await file.read(first, into);
      if (isWhole) this.#groups.touch(name, file);
      else
        this.#parts.log.warn('a block of the disk cache is damaged and is downloaded again', { key, name });
      return isWhole;
    } catch (error) {
      this.#faults.tell(error);
      // Whatever it says it has: nobody shall come back for it.
      this.#groups.drop(name);
      return false;
    }
  }

  /**
   * Keeps a block, which nobody may change from now on, if there is time and room. False when there is not; then `inMemory` is asked for it
   * as soon as there is.
   */
  keep(
    hash: string,
    group: number,
    {
      index,
      data,
      inMemory,
    }: { readonly index: number; readonly data: Uint8Array; readonly inMemory?: InMemory },
  ): boolean {
    if (!this.#takesBlocks) return false;
    const place = { name: nameOf(hash, group), hash, group, index };
    const hasRoom = this.#waiting.hasRoomFor(data.length);
    if (hasRoom) this.#waiting.add(place, data);
    else if (inMemory !== undefined) this.#waiting.addLater(place, data.length, inMemory);
    this.#quiet.wasRead();
    if (!this.#mayRest) this.#writeMore();
    return hasRoom;
  }

  /** Resolves with true when so many bytes may wait to be written, with false when nothing is written any more. */
  async whenRoom(bytes: number): Promise<boolean> {
    const hasRoom = (): boolean => this.#waiting.hasRoomFor(bytes);
    if (hasRoom()) return this.#takesBlocks;
    this.#awaited += 1;
    this.#writeMore();
    while (this.#takesBlocks && this.#writers > 0 && !hasRoom()) await this.#waiting.change();
    this.#awaited -= 1;
    return this.#takesBlocks && hasRoom();
  }

  takesWhole(bytes: number): boolean {
    return bytes <= this.#parts.limit * SHARE_OF_ONE;
  }

  /** Writes what waits, unless it is not known soon whether there is room, and lets go of all files. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.forgetMissed(true);
    this.#quiet.end();
    const endLooks = (): void => {
      this.#directory.endLooks();
    };
    if (this.#waiting.areFew(0)) endLooks();
    const cancel = this.#parts.clock.after(LOOK_PATIENCE_MS, endLooks);
    this.#writeMore();
    while (this.#writers > 0) await this.#waiting.change();
    cancel();
    this.#groups.close();
  }

  get #takesBlocks(): boolean {
    return !this.#isClosed && !this.#faults.arePausing;
  }

  /**
   * Whether what waits had better wait until nobody reads. Blocks of large files are not held up once some are being written: what waits is
   * soon full of them again. Small files that find no more room are mostly still in memory later.
   */
  get #mayRest(): boolean {
    if (this.#quiet.isNow || this.#awaited > 0) return false;
    const areFew = this.#waiting.areFew(this.#parts.mostWaiting * SHARE_AT_REST);
    if (this.#waiting.areSmall) return areFew || this.#waiting.remembersMore;
    return areFew && this.#writers === 0;
  }

  #writeMore(): void {
    if (this.#writers < MOST_WRITERS) void this.#writeAll();
  }

  /** One of those who write, until there is nothing left for it. Never rejects. */
  async #writeAll(): Promise<void> {
    this.#writers += 1;
    await this.#ready;
    while (!this.#mayRest) {
      const group = this.#waiting.take();
      if (group === undefined) break;
      if (!(await this.#faults.orPause(() => this.#write(group)))) this.#waiting.forgetMissed();
      this.#waiting.written(group);
    }
    this.#writers -= 1;
    this.#waiting.tell();
  }

  async #write({ name, hash, blocks }: WaitingGroup): Promise<void> {
    const file = await this.#groups.toWrite(name, hash);
    if (file === undefined) return;
    const runs = [...runsOf(blocks, file)];
    if (runs.length === 0) return;
    const bytes = runs.reduce((sum, run) => sum + bytesOf(run) + MOST_OVERHEAD, 0);
    if (!(await this.#directory.reserve(bytes, await this.#room.limit()))) return;
    let grown = 0;
    try {
      grown = await this.#writeRuns(name, file, runs);
    } finally {
      this.#directory.settle(bytes, grown);
    }
  }

  async #writeRuns(name: string, file: GroupFile, runs: readonly BlockRun[]): Promise<number> {
    try {
      return await file.write(runs);
    } catch (error) {
      const code = systemErrorCode(error);
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
      // Somebody has deleted the cache, or put a file where its folder was.
      await this.#directory.makeFolderOf(name);
      return file.write(runs);
    }
  }
}

function nameOf(hash: string, group: number): string {
  return `${hash}.${group}`;
}

function bytesOf({ blocks }: BlockRun): number {
  return blocks.reduce((sum, block) => sum + block.length, 0);
}
