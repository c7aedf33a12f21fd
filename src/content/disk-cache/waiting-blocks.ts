/**
 * Which blocks wait in memory to be written to the disk cache, and when may more come?
 *
 * Reads bring blocks faster than a disk may take them. What waits has a limit: beyond it a block is only remembered, and waits as soon as
 * there is room, if memory still has it then. Those that somebody wants to keep in any case wait their turn.
 */
import type { BlockMemory } from '../../base/block-memory.ts';
import type { BlockRun } from './block-run.ts';
import type { GroupFile } from './group-file.ts';
import { BLOCKS_PER_GROUP } from './group-format.ts';

/** Blocks of one group. */
export interface WaitingGroup {
  readonly name: string;
  readonly hash: string;
  readonly group: number;
  /** By their index in the group. */
  readonly blocks: ReadonlyMap<number, Uint8Array>;
}

/** Where a block belongs: its group's place, and its index in the group. */
export interface BlockPlace extends Omit<WaitingGroup, 'blocks'> {
  readonly index: number;
}

/** A block's bytes, if memory has them. */
export type InMemory = () => Uint8Array | undefined;

interface Growing extends WaitingGroup {
  readonly blocks: Map<number, Uint8Array>;
  /** Whether it has a block that is no small file. */
  isLarge: boolean;
}

/** A block that found no room. */
interface Missed {
  readonly place: BlockPlace;
  /** Of its own. */
  readonly bytes: number;
  readonly inMemory: InMemory;
}

/** So many of them are remembered. Memory holds a quarter of that if they are whole blocks: those before them have mostly gone from there. */
const MOST_MISSED = 4096;

/** The queue between those who read and those who write. */
export class WaitingBlocks {
  readonly #memory: BlockMemory;
  readonly #mostBytes: number;
  /** By the names of their files, the next one first. */
  readonly #groups = new Map<string, Growing>();
  /** The names of those that are being written: each file has one writer. */
  readonly #beingWritten = new Set<string>();
  /** Those that found no room, the first one first. */
  #missed: Missed[] = [];
  /** Of those, blocks that are no small files. */
  #largeMissed = 0;
  #bytes = 0;
  /** Groups with a block that is no small file, without those that are being written. */
  #large = 0;
  readonly #toldOfChanges: (() => void)[] = [];

  /** `mostBytes` may wait. */
  constructor(mostBytes: number, memory: BlockMemory) {
    this.#memory = memory;
    this.#mostBytes = mostBytes;
  }

  /** Whether so many more bytes may wait now. */
  hasRoomFor(bytes: number): boolean {
    return this.#bytes + bytes <= this.#mostBytes;
  }

  /** Whether no more than so many bytes wait. */
  areFew(most: number): boolean {
    return this.#bytes <= most;
  }

  /** Whether all that waits, and all that found no room, are small files. */
  get areSmall(): boolean {
    return this.#large === 0 && this.#largeMissed === 0;
  }

  /** Whether so many have found no room that memory soon has them no more. */
  get areTooMany(): boolean {
    return this.#missed.length > MOST_MISSED / 8;
  }

  /** Whether many more can find no room before one of them is forgotten. */
  get remembersMore(): boolean {
    return this.#missed.length < MOST_MISSED / 2;
  }

  /** Lets a block wait, which nobody may change from now on. One that waits already does not wait twice. */
  add({ index, ...place }: BlockPlace, data: Uint8Array): void {
    const group = this.#groups.get(place.name) ?? {
      ...place,
      blocks: new Map<number, Uint8Array>(),
      isLarge: false,
    };
    if (group.blocks.has(index)) return;
    if (!group.isLarge && this.#isLarge(data.length)) {
      group.isLarge = true;
      this.#large += 1;
    }
    this.#memory.hold(data);
    group.blocks.set(index, data);
    this.#groups.set(place.name, group);
    this.#bytes += data.length;
  }

  /** Lets a block of so many bytes wait when there is room for it, as far as it is in memory then. */
  addLater(place: BlockPlace, bytes: number, inMemory: InMemory): void {
    this.#missed.push({ place, bytes, inMemory });
    if (this.#isLarge(bytes)) this.#largeMissed += 1;
    if (this.#missed.length > MOST_MISSED) this.#takeMissed();
  }

  /** No block that found no room is waited for any more; small files are, if they shall. */
  forgetMissed(areSmallKept = false): void {
    this.#missed = areSmallKept ? this.#missed.filter(({ bytes }) => !this.#isLarge(bytes)) : [];
    this.#largeMissed = 0;
  }

  /** Takes out the group that came first, of those that nobody writes; its bytes count until they are `written`. */
  take(): WaitingGroup | undefined {
    for (const group of this.#groups.values()) {
      if (this.#beingWritten.has(group.name)) continue;
      this.#groups.delete(group.name);
      if (group.isLarge) this.#large -= 1;
      this.#beingWritten.add(group.name);
      return group;
    }
    return undefined;
  }

  /** The blocks of a group that was taken are no longer held, whether they are on the disk now or not. */
  written({ name, blocks }: WaitingGroup): void {
    this.#beingWritten.delete(name);
    for (const block of blocks.values()) {
      this.#bytes -= block.length;
      this.#memory.letGo(block);
    }
    this.#addMissed();
    this.tell();
  }

  /** Something has changed for those who wait. */
  tell(): void {
    for (const wake of this.#toldOfChanges.splice(0)) wake();
  }

  /** Resolves when it is worth looking again. */
  async change(): Promise<void> {
    await new Promise<void>((resolve) => this.#toldOfChanges.push(resolve));
  }

  #takeMissed(): Missed | undefined {
    const missed = this.#missed.shift();
    if (missed !== undefined && this.#isLarge(missed.bytes)) this.#largeMissed -= 1;
    return missed;
  }

  #isLarge(bytes: number): boolean {
    return bytes >= this.#memory.blockSize;
  }

  #addMissed(): void {
    while (this.hasRoomFor(this.#memory.blockSize)) {
      const missed = this.#takeMissed();
      if (missed === undefined) return;
      const data = missed.inMemory();
      if (data !== undefined) this.add(missed.place, data);
    }
  }
}

/** Neighbouring blocks together, without those that are there. */
export function* runsOf(blocks: ReadonlyMap<number, Uint8Array>, file: GroupFile): Generator<BlockRun> {
  for (let index = 0; index < BLOCKS_PER_GROUP; index += 1) {
    const first = index;
    const run: Uint8Array[] = [];
    for (; index < BLOCKS_PER_GROUP && !file.has(index); index += 1) {
      const block = blocks.get(index);
      if (block === undefined) break;
      run.push(block);
    }
    if (run.length > 0) yield { first, blocks: run };
  }
}
