/**
 * Which bytes of which file versions are in memory, and is there room for those that are on their way?
 *
 * All bytes that reads bring come out of one budget, also before they have landed. Blocks that some program has read, or that
 * nobody is expected for, make room for others, the one first that was not used for longest. Blocks that were fetched for a
 * program that is on its way to them stay until it has read them: dropped, they would have to be asked for twice. What nobody reads for
 * a minute or two goes, too, where there is another place for it: a mount that does nothing is to be small.
 *
 * A version is named by a number that is never used twice in a process, so a block never has to be checked for age.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import { BlockMemory } from '../base/block-memory.ts';
import { BlockIndexes } from './block-indexes.ts';

/** Bytes: what the kernel asks for at once, and small enough that a random read wastes little. */
export const BLOCK_SIZE = 128 * 1024;

/** A block takes some 400 bytes of memory beside its own: so no more are held than if each had so many, or those of tiny files would take many times the limit. */
const FEWEST_BYTES = 1024;
/** However little memory there is. */
const FEWEST_BLOCKS = 1000;

/** Blocks that nobody reads for one to two times so many milliseconds rest. */
const REST_MS = 60_000;

/** For a cache whose blocks go when they rest. */
export interface Rest {
  readonly clock: Pick<Clock, 'after'>;
  /** Called when some have gone. */
  readonly gone: () => void;
}

interface Address {
  readonly version: number;
  readonly index: number;
}

/** The blocks in memory, of all versions together, and what is on its way: never more bytes than `maxBytes`. */
export class BlockCache {
  /** Bytes in all. */
  readonly maxBytes: number;
  /** What the blocks are made of. Each that is held here has a holder for it. */
  readonly memory: BlockMemory;
  readonly #rest: Rest | null;
  readonly #mostBlocks: number;
  /** Without a limit of its own: what is unread or on its way counts, too. */
  readonly #read = new LRUCache<string, Uint8Array>({
    maxSize: Number.MAX_SAFE_INTEGER,
    sizeCalculation: ({ length }) => length,
  });
  /** The one that landed first first. */
  readonly #unread = new Map<string, Uint8Array>();
  /** Which blocks of each version are held, to find those of a version without a walk over all keys. */
  readonly #indexes = new BlockIndexes();
  /** Those that were read, but not since the last look. */
  readonly #resting = new Set<string>();
  #isLooking = false;
  #unreadBytes = 0;
  #onTheirWay = 0;
  /** Negative: no version has such a number. */
  #provisional = 0;
  #roomMade: () => void = () => undefined;
  #room: Promise<void> | null = null;

  /** Without a `rest` blocks stay until others need their room. */
  constructor(maxBytes: number, memory: BlockMemory = new BlockMemory(BLOCK_SIZE), rest: Rest | null = null) {
    this.maxBytes = maxBytes;
    this.memory = memory;
    this.#rest = rest;
    this.#mostBlocks = Math.max(FEWEST_BLOCKS, maxBytes / FEWEST_BYTES);
  }

  /** Bytes. */
  get blockSize(): number {
    return this.memory.blockSize;
  }

  /** Bytes held, and those that are on their way. */
  get used(): number {
    return this.#read.calculatedSize + this.spokenFor;
  }

  /** Bytes that make no room for others by themselves. */
  get spokenFor(): number {
    return this.#unreadBytes + this.#onTheirWay;
  }

  /** The block's bytes, not to be changed; counts as a use. */
  get(version: number, index: number): Uint8Array | undefined {
    const key = keyOf(version, index);
    this.#resting.delete(key);
    return this.#read.get(key) ?? this.#unread.get(key);
  }

  /** As `get`, but does not count as a use. */
  peek(version: number, index: number): Uint8Array | undefined {
    const key = keyOf(version, index);
    return this.#read.peek(key) ?? this.#unread.get(key);
  }

  /** Does not count as a use. */
  has(version: number, index: number): boolean {
    return this.#indexes.has(version, index);
  }

  /**
   * Takes room for bytes that are about to be asked for. False when they and what is spoken for were more than `most`; a single
   * claim beyond that is granted, or such bytes could never come. Every claim has to be given back, as bytes land or do not come.
   */
  claim(bytes: number, most: number = this.maxBytes): boolean {
    if (this.spokenFor > 0 && this.spokenFor + bytes > most) return false;
    this.#onTheirWay += bytes;
    this.#shrink();
    return true;
  }

  /** As `claim`, for a program that waits: what others have not read yet goes for it. */
  claimNow(bytes: number): boolean {
    // Nothing that could go would be enough.
    if (this.#onTheirWay > 0 && this.#onTheirWay + bytes > this.maxBytes) return false;
    for (const key of this.#unread.keys()) {
      if (this.spokenFor + bytes <= this.maxBytes) break;
      this.#drop(key);
    }
    return this.claim(bytes);
  }

  giveBack(bytes: number): void {
    this.#onTheirWay -= bytes;
    // What is on its way will lie in what lies free.
    this.memory.trimTo(this.#onTheirWay);
    this.#tellRoom();
  }

  /** Resolves when `claim` may succeed where it did not. */
  whenRoom(): Promise<void> {
    this.#room ??= new Promise((resolve) => {
      this.#roomMade = resolve;
    });
    return this.#room;
  }

  /**
   * Keeps `block`, which nobody may change from now on; `unread` until `markRead` when a program is on its way to it. Empty blocks,
   * and blocks for which there is no room, are not kept.
   */
  set(version: number, index: number, block: Uint8Array, state: 'read' | 'unread' = 'read'): void {
    const key = keyOf(version, index);
    // First of all: the block that is here may be this one.
    this.memory.hold(block);
    if (this.has(version, index)) this.#drop(key);
    if (block.length === 0 || block.length + this.spokenFor > this.maxBytes) {
      this.memory.letGo(block);
      return;
    }
    if (state === 'unread') {
      this.#unread.set(key, block);
      this.#unreadBytes += block.length;
    } else {
      this.#read.set(key, block);
    }
    this.#indexes.add(version, index);
    this.#shrink();
    if (!this.#isLooking) this.#lookLater();
  }

  /** Some program has read it, or nobody is expected for it any more. */
  markRead(version: number, index: number): void {
    const key = keyOf(version, index);
    const block = this.#unread.get(key);
    if (block === undefined) return;
    this.#unread.delete(key);
    this.#unreadBytes -= block.length;
    this.#read.set(key, block);
    this.#tellRoom();
  }

  /** A program is on its way to it. Nothing happens when it is not here, or when more than `most` bytes would be spoken for. */
  markUnread(version: number, index: number, most: number): void {
    const key = keyOf(version, index);
    const block = this.#read.peek(key);
    if (block === undefined || this.spokenFor + block.length > most) return;
    this.#read.delete(key);
    this.#resting.delete(key);
    this.#unread.set(key, block);
    this.#unreadBytes += block.length;
  }

  /** `markRead` for all blocks of a version but those that are still `expected`. */
  markAllRead(version: number, expected: (index: number) => boolean = () => false): void {
    if (this.#unread.size === 0) return;
    for (const index of this.#indexes.of(version)) if (!expected(index)) this.markRead(version, index);
  }

  dropVersion(version: number): void {
    for (const index of this.#indexes.of(version)) this.#drop(keyOf(version, index));
    this.memory.trimTo(this.#onTheirWay);
  }

  /** A number under which blocks can be kept before the number of their version is known. */
  provisionalVersion(): number {
    this.#provisional -= 1;
    return this.#provisional;
  }

  /** Calls `take` with each block of a version. */
  forEach(version: number, take: (index: number, block: Uint8Array) => void): void {
    for (const index of this.#indexes.of(version)) {
      const block = this.peek(version, index);
      if (block !== undefined) take(index, block);
    }
  }

  #shrink(): void {
    // The one that was not used for longest first.
    for (const key of this.#read.rkeys()) {
      if (this.used <= this.maxBytes && this.#read.size <= this.#mostBlocks) break;
      this.#drop(key);
    }
  }

  #lookLater(): void {
    if (this.#rest === null) return;
    const { clock, gone } = this.#rest;
    this.#isLooking = true;
    clock.after(REST_MS, () => {
      this.#isLooking = false;
      const hasGone = this.#resting.size > 0;
      for (const key of this.#resting) this.#drop(key);
      for (const key of this.#read.keys()) this.#resting.add(key);
      this.memory.trimTo(this.#onTheirWay);
      if (hasGone) gone();
      // Unread ones are waited for by somebody, or soon count as read.
      if (this.#read.size + this.#unread.size > 0) this.#lookLater();
    });
  }

  #drop(key: string): void {
    const unread = this.#unread.get(key);
    this.#unreadBytes -= unread?.length ?? 0;
    const block = unread ?? this.#read.peek(key);
    this.#read.delete(key);
    this.#unread.delete(key);
    this.#resting.delete(key);
    const { version, index } = addressOf(key);
    this.#indexes.delete(version, index);
    if (block !== undefined) this.memory.letGo(block);
    if (unread !== undefined) this.#tellRoom();
  }

  #tellRoom(): void {
    this.#room = null;
    this.#roomMade();
  }
}

function keyOf(version: number, index: number): string {
  return `${version}/${index}`;
}

function addressOf(key: string): Address {
  const slash = key.indexOf('/');
  return { version: Number(key.slice(0, slash)), index: Number(key.slice(slash + 1)) };
}
