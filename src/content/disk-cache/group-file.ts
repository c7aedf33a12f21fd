/**
 * How is one group of cached blocks read and written? (Its form: group-format.ts.)
 *
 * Other processes may do the same at the same time: all write the same bytes to the same places, since a group's name is made of
 * the content's. Any of them may delete the file; who has it open goes on with what is there.
 */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { systemErrorCode } from '../../base/errors.ts';
import type { DiskCalls } from '../disk-calls.ts';
import { readFully, writeFully } from '../local-files.ts';
import { OpenDescriptor } from '../open-descriptor.ts';
import { blocksAtOnce, writeTogether, type BlockRun } from './block-run.ts';
import { DirectFile, type DirectWrites } from '../direct-writes.ts';
import {
  blockPosition,
  emptyHeader,
  encodeSlots,
  HEADER_SIZE,
  readHeader,
  slotPosition,
  type Slot,
} from './group-format.ts';

export interface GroupPlace {
  readonly path: string;
  readonly hash: string;
  /** Bytes. */
  readonly blockSize: number;
  readonly calls: DiskCalls;
  readonly direct: DirectWrites;
}

const FILE_MODE = 0o600;
/** Another process that has found the same damage may have made the file anew since this one has cleared it away. */
const MOST_TRIES = 3;
/**
 * At the name is something that this mount cannot use: a directory, a file of another user, a link that leads nowhere. Somebody put it
 * there, and nothing but a cache file belongs there.
 */
const IN_THE_WAY: ReadonlySet<string> = new Set(['EISDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENXIO']);

/** One group, whose file may not be there yet. Indexes are those within the group. Every promise rejects with the disk's error. */
export class GroupFile {
  readonly #place: GroupPlace;
  readonly #slots = new Map<number, Slot>();
  #handle: OpenDescriptor | null = null;
  #direct: DirectFile | null = null;
  /** The disk has lost something of the file: its header, too, is written anew before the next blocks. */
  #isDamaged = false;
  /** Bytes on the disk at the last look. */
  #taken = 0;
  /** Calls that use the handle. */
  #users = 0;
  #isClosing = false;

  private constructor(place: GroupPlace) {
    this.#place = place;
  }

  /** Whatever is there. */
  static missing(place: GroupPlace): GroupFile {
    return new GroupFile(place);
  }

  /** A file that holds something else, as after a crash at its beginning, counts as missing. */
  static async open(place: GroupPlace): Promise<GroupFile> {
    const group = new GroupFile(place);
    const handle = await openOrMissing(place);
    if (handle !== null) await group.#take(handle);
    return group;
  }

  has(index: number): boolean {
    return this.#slots.has(index);
  }

  /**
   * Fills `into` with blocks from `first` on, all of which are there; it ends where one of them does. False when one is damaged:
   * then none is there any more.
   */
  async read(first: number, into: Uint8Array): Promise<boolean> {
    return this.#using(async (handle) => {
      const { blockSize } = this.#place;
      const count = await readFully(handle, into, blockPosition(first, blockSize));
      let areWhole = true;
      for (let at = 0, index = first; at < into.length; at += blockSize, index += 1) {
        const block = into.subarray(at, at + blockSize);
        const slot = this.#slots.get(index);
        const isWhole =
          at + block.length <= count && slot?.length === block.length && slot.checksum === crc32(block);
        if (isWhole) continue;
        areWhole = false;
      }
      // What else the disk has lost of this file nobody knows.
      if (!areWhole) this.#slots.clear();
      this.#isDamaged ||= !areWhole;
      return areWhole;
    }, false);
  }

  /** Returns how many bytes more the file takes on the disk. */
  async write(runs: readonly BlockRun[]): Promise<number> {
    const rest = this.#handle === null ? await this.#begin(runs) : runs;
    const before = this.#taken;
    await this.#using(async (handle) => {
      if (this.#isDamaged) await this.#renewHeader(handle);
      // Side by side: each is a trip to another thread and back. To their ends: blocks may change once this has settled.
      const ends = await Promise.allSettled(rest.map((run) => this.#writeRun(handle, run)));
      // What a write that fails has left there is counted by the next.
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
      this.#taken = await handle.bytesOnDisk();
    }, undefined);
    return this.#taken - before;
  }

  /** Tells the next looks at the directory that somebody wants these bytes: what was used longest ago is deleted first. */
  async touch(at: Date): Promise<void> {
    await this.#using((handle) => handle.touch(at), undefined);
  }

  /** False: it was deleted, by another process or a person, and its bytes take room as long as it is open. */
  hasName(): Promise<boolean> {
    return this.#using((handle) => handle.hasName(), true);
  }

  /**
   * Nothing may be begun afterwards; what is in progress ends before the file is let go of. A file that keeps its name is closed where
   * requests are answered; freeing the bytes of one that has none takes its time.
   */
  async close(keepsName = false): Promise<void> {
    this.#isClosing = true;
    if (this.#users > 0) return;
    const handle = this.#handle;
    this.#handle = null;
    const direct = this.#direct;
    this.#direct = null;
    try {
      await direct?.close();
    } finally {
      await (keepsName ? handle?.closeFreeingNothing() : handle?.close());
    }
  }

  async #writeRun(handle: OpenDescriptor, { first, blocks }: BlockRun): Promise<void> {
    const { direct, blockSize } = this.#place;
    const slots = slotsOf(blocks);
    const count = direct.suitable(blocks);
    const isDirect =
      count > 0 &&
      (await (this.#direct ??= new DirectFile(direct, handle)).write(
        blocks.slice(0, count),
        blockPosition(first, blockSize),
      ));
    const done = isDirect ? count : 0;
    const rest = blocks.slice(done);
    if (rest.length > 0) await writeTogether(handle, rest, blockPosition(first + done, blockSize));
    await writeFully(handle, encodeSlots(slots), slotPosition(first));
    this.#noteSlots(first, slots);
  }

  /** Where its mark is lost the next mount would take none of the blocks that come now, and where only theirs are it would read the others in vain. */
  async #renewHeader(handle: OpenDescriptor): Promise<void> {
    const { hash, blockSize } = this.#place;
    await writeFully(handle, emptyHeader(hash, blockSize), 0);
    this.#isDamaged = false;
  }

  /**
   * Goes on with a file that another process has made meanwhile, or this one before it was let go of; else makes a new one. Returns
   * which of `runs` are still to be written.
   */
  async #begin(runs: readonly BlockRun[], triesLeft = MOST_TRIES): Promise<readonly BlockRun[]> {
    try {
      return await this.#create(runs);
    } catch (error) {
      if (systemErrorCode(error) !== 'EEXIST' || triesLeft === 0) throw error;
      const there = await openOrMissing(this.#place);
      if (there !== null) await this.#take(there);
      if (this.#handle !== null) return runs;
      // It is damaged, or no file.
      await rm(this.#place.path, { force: true, recursive: true });
      return this.#begin(runs, triesLeft - 1);
    }
  }

  async #create(runs: readonly BlockRun[]): Promise<readonly BlockRun[]> {
    const { hash, blockSize } = this.#place;
    const blocks = blocksAtOnce(runs);
    const slots = slotsOf(blocks);
    const header = emptyHeader(hash, blockSize);
    encodeSlots(slots).copy(header, slotPosition(0));
    const handle = await openPlace(this.#place, 'wx+');
    try {
      await writeFully(handle, Buffer.concat([header, ...blocks]), 0);
    } catch (error) {
      await handle.close();
      throw error;
    }
    this.#handle = handle;
    this.#taken = 0;
    this.#slots.clear();
    this.#noteSlots(0, slots);
    return blocks.length > 0 ? [] : runs;
  }

  #noteSlots(first: number, slots: readonly Slot[]): void {
    slots.forEach((slot, offset) => this.#slots.set(first + offset, slot));
  }

  async #take(handle: OpenDescriptor): Promise<void> {
    const { hash, blockSize } = this.#place;
    try {
      const header = Buffer.alloc(HEADER_SIZE);
      const length = await readFully(handle, header, 0);
      const slots = readHeader(header.subarray(0, length), hash, blockSize);
      if (slots === undefined) {
        await handle.close();
        return;
      }
      this.#taken = await handle.bytesOnDisk();
      // Together: who is told that a block is there, and cannot read it, asks again at once, and for ever.
      this.#handle = handle;
      slots.forEach((slot, index) => {
        if (slot.length > 0) this.#slots.set(index, slot);
      });
    } catch (error) {
      await handle.close();
      // A pipe opens, too.
      if (systemErrorCode(error) !== 'ESPIPE') throw error;
    }
  }

  async #using<Result>(use: (handle: OpenDescriptor) => Promise<Result>, closed: Result): Promise<Result> {
    if (this.#handle === null) return closed;
    this.#users += 1;
    try {
      return await use(this.#handle);
    } finally {
      this.#users -= 1;
      if (this.#isClosing && this.#users === 0) await this.close();
    }
  }
}

function slotsOf(blocks: readonly Uint8Array[]): Slot[] {
  return blocks.map((block) => ({ checksum: crc32(block), length: block.length }));
}

function openPlace({ calls, path }: GroupPlace, flags: string): Promise<OpenDescriptor> {
  return OpenDescriptor.open(calls, path, flags, FILE_MODE);
}

/** Null also when something else is in the way. */
async function openOrMissing(place: GroupPlace): Promise<OpenDescriptor | null> {
  const { calls, path } = place;
  // Most of what a program reads for the first time is not there, which an open(2) that fails tells at several times the cost.
  const mayBeThere = await calls.make(
    () => existsSync(path),
    () => Promise.resolve(true),
  );
  if (!mayBeThere) return null;
  try {
    return await openPlace(place, 'r+');
  } catch (error) {
    const code = systemErrorCode(error) ?? '';
    if (code === 'ENOENT' || IN_THE_WAY.has(code)) return null;
    throw error;
  }
}
