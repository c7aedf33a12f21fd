/**
 * How does a draft's file keep its header out of everybody's way? Positions here are those of the content; the header stands
 * before it (draft-header.ts).
 */
import { basename } from 'node:path';
import type { DraftFacts } from './draft-facts.ts';
import {
  CONTENT_START,
  decodeHeader,
  encodeHeader,
  isCutShort,
  SLOT_SIZE,
  slotOf,
  type DraftHeader,
} from './draft-header.ts';
import { readFully, writeFully, type LocalFile } from './local-files.ts';

/** Bytes of a slot that are read first. Nearly all headers are shorter, and a mount may find ten thousands. */
const FIRST_READ = 4096;

/** A draft on disk, with what it is. Every method rejects with a Node system error. */
export class DraftFile implements LocalFile {
  readonly #file: LocalFile;
  readonly #syncNames: () => Promise<void>;
  #header: DraftHeader;
  #isNameDurable = false;
  /** Settles when the headers asked for so far are written. */
  #describing: Promise<unknown> = Promise.resolve();

  private constructor(file: LocalFile, header: DraftHeader, syncNames: () => Promise<void>) {
    this.#file = file;
    this.#header = header;
    this.#syncNames = syncNames;
  }

  /** Makes a draft of `file`, which is empty. */
  static async begin(file: LocalFile, facts: DraftFacts, syncNames: () => Promise<void>): Promise<DraftFile> {
    const header = { turn: 0, facts };
    await writeFully(file, encodeHeader(header), slotOf(0));
    return new DraftFile(file, header, syncNames);
  }

  /**
   * The draft that `file` holds. It is what its header says, or `recorded`, where that is given: a power failure may have left the header
   * before. Rejects with `HeaderUnreadable`, too.
   */
  static async resume(
    file: LocalFile,
    syncNames: () => Promise<void>,
    recorded?: DraftFacts,
  ): Promise<DraftFile> {
    const { turn, facts } = await headerIn(file);
    return new DraftFile(file, { turn, facts: recorded ?? facts }, syncNames);
  }

  /** Of no other draft, ever. */
  get id(): string {
    return basename(this.#file.path);
  }

  get path(): string {
    return this.#file.path;
  }

  /** As last described. */
  get facts(): DraftFacts {
    return this.#header.facts;
  }

  read(into: Uint8Array, position: number): Promise<number> {
    return this.#file.read(into, CONTENT_START + position);
  }

  write(data: Uint8Array, position: number): Promise<number> {
    return this.#file.write(data, CONTENT_START + position);
  }

  truncate(size: number): Promise<void> {
    return this.#file.truncate(CONTENT_START + size);
  }

  /** With its header. */
  bytesOnDisk(): Promise<number> {
    return this.#file.bytesOnDisk();
  }

  /** Resolves when content, header and the file's name are on the disk. */
  async sync(): Promise<void> {
    // Side by side: a close waits for both. A draft is never renamed, so its name need go to the disk only once.
    await Promise.all([this.#file.sync(), this.#isNameDurable ? undefined : this.#syncName()]);
  }

  /** Writes another header; `sync` makes it durable. After a rejection the disk has this one or the one before, whole. */
  describe(facts: DraftFacts): Promise<void> {
    const done = this.#describing.then(async () => {
      const header = { turn: this.#header.turn + 1, facts };
      await writeFully(this.#file, encodeHeader(header), slotOf(header.turn));
      this.#header = header;
    });
    // Each caller hears of its own failure; the next header is not stopped by it.
    this.#describing = done.catch(() => undefined);
    return done;
  }

  unlink(): Promise<void> {
    return this.#file.unlink();
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  remove(): Promise<void> {
    return this.#file.remove();
  }

  async #syncName(): Promise<void> {
    await this.#syncNames();
    this.#isNameDurable = true;
  }
}

/** What the file of a draft says of it. Rejects with `HeaderUnreadable`, too. */
export async function headerIn(file: Pick<LocalFile, 'read'>): Promise<DraftHeader> {
  return decodeHeader([await slotIn(file, 0), await slotIn(file, 1)]);
}

/** The slot where the header of that turn stands, as far as it is needed. */
async function slotIn(file: Pick<LocalFile, 'read'>, turn: number): Promise<Uint8Array> {
  const start = await bytesIn(file, slotOf(turn), FIRST_READ);
  return isCutShort(start) ? bytesIn(file, slotOf(turn), SLOT_SIZE) : start;
}

async function bytesIn(file: Pick<LocalFile, 'read'>, position: number, most: number): Promise<Uint8Array> {
  const into = new Uint8Array(most);
  return into.subarray(0, await readFully(file, into, position));
}
