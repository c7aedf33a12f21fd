/**
 * Where do a file's new bytes wait until they are uploaded? In a temporary file of this user.
 *
 * Changes go one after another, whoever makes them: the system promises no order for calls in flight together.
 *
 * Room for bytes is asked for before they are taken (space-account.ts). A hole takes no disk until it is written: truncate(2) asks
 * for nothing, and a write for its own bytes only.
 */
import { systemErrorCode } from '../base/errors.ts';
import type { UploadBody } from '../service/object-service.ts';
import { DraftDigest } from './draft-digest.ts';
import { refuseSize } from './draft-errors.ts';
import type { DraftFacts } from './draft-facts.ts';
import type { DraftFile } from './draft-file.ts';
import { DraftHarm } from './draft-harm.ts';
import { departing, type UploadTap } from './draft-pieces.ts';
import { readFully, writeFully } from './local-files.ts';
import { NoRoom, type SpaceAccount } from './space-account.ts';

/**
 * A write of more bytes is worth an answer before it is on the disk: what is shorter mostly gets there at once. And a content that came in one
 * write of no more is hashed then: quicker than to read it again.
 */
const SHORT_WRITE = 64 * 1024;

/** A file's new bytes. Every method may be called while any other is in progress. */
export class Draft {
  readonly #file: DraftFile;
  readonly #account: SpaceAccount;
  readonly #digest = new DraftDigest();
  readonly #harm = new DraftHarm();
  #size: number;
  /** Bytes of content on the disk, at most: who writes twice to a place of a file with holes is counted twice. */
  #spent: number;
  #revision = 0;
  /** Its bytes as of then are on the disk, whatever becomes of a later description. */
  #syncedRevision = -1;
  #handedOver = 0;
  /** The way of what was taken last to the disk. Never rejects. */
  #underWay: Promise<unknown> | null = null;
  /** Settles when all changes asked for so far are made. */
  #changes: Promise<unknown> = Promise.resolve();

  /** Nobody else uses `file`, which holds `size` bytes of content, nor `account`, which has those that are no holes. */
  constructor(file: DraftFile, account: SpaceAccount, size = 0) {
    this.#file = file;
    this.#account = account;
    this.#size = size;
    this.#spent = Math.min(size, account.held);
    // It was here before: whoever recorded it had synced it.
    if (size > 0) this.#syncedRevision = 0;
  }

  /** Of no other draft, ever. */
  get id(): string {
    return this.#file.id;
  }

  /** What its file says of itself. */
  get facts(): DraftFacts {
    return this.#file.facts;
  }

  /** Where its file is. */
  get path(): string {
    return this.#file.path;
  }

  /** Bytes. */
  get size(): number {
    return this.#size;
  }

  /** Bytes that take room on the disk, at most: holes take none. */
  get spent(): number {
    return this.#spent;
  }

  /** Counts changes: equal numbers mean equal bytes. */
  get revision(): number {
    return this.#revision;
  }

  /** Bytes that the upload in progress, or the last one, has taken. */
  get handedOver(): number {
    return this.#handedOver;
  }

  /**
   * The error (`ENOSPC`, `EDQUOT`, `EIO` or another) for which a change was not made, or half: the bytes must never be uploaded.
   * Null again once all of them are cut off.
   */
  get poisoned(): string | null {
    return this.#harm.poisoned;
  }

  /** Fills `into` from `position`; fewer bytes mean end of file. Rejects with the disk's error, or with EIO once taken bytes did not get there. */
  async read(into: Uint8Array, position: number): Promise<number> {
    if (this.#underWay !== null) await this.settled();
    this.#harm.refuseReading();
    const wanted = Math.max(0, Math.min(into.length, this.#size - position));
    return wanted === 0 ? 0 : readFully(this.#file, into.subarray(0, wanted), position);
  }

  /** Resolves when what was taken last is on the disk, or the draft is poisoned. */
  async settled(): Promise<void> {
    await this.#underWay;
  }

  /** Keeps room for `size` bytes in all, which are to come. Rejects with `NoRoom`, or with the disk's error: it can be written as before. */
  async reserve(size: number): Promise<void> {
    await this.#account.grow(size - this.#account.held);
  }

  /**
   * Whether its bytes will leave the disk by themselves, soon: then writers who find no room wait for them (`NoRoom.mayPass`). True as
   * long as it waits for an upload that is tried again until it succeeds; false once it was stored or given up, or is removed or closed.
   */
  setLeaving(isLeaving: boolean): void {
    this.#account.setLeaving(isLeaving);
  }

  /** An upload of it begins. Call what is returned when it has ended: who waits for room hopes for it until then. */
  uploading(): (hasArrived: boolean) => void {
    return this.#account.uploading();
  }

  /**
   * Writes all of `data`, which may be reused after the promise settles. Rejects with `NoRoom` that may pass: nothing has
   * happened. Rejects otherwise with `NoRoom` or the disk's error and is poisoned then; a poisoned draft takes no more bytes. `taken` is called when nothing but an error of the disk can refuse the bytes any more: reads find them from then on. It is not
   * called where the write is short, or leaves a hole, which a disk may have no file for.
   */
  write(data: Uint8Array, position: number, taken?: () => void): Promise<void> {
    return this.#change(async () => {
      this.#harm.refuse();
      if (data.length === 0) return;
      refuseSize(position + data.length);
      const before = { spent: this.#spent, held: this.#account.held };
      const spent = Math.min(this.#spent + data.length, Math.max(this.#size, position + data.length));
      // Without waiting when there is plenty of room, as there mostly is.
      if (!this.#account.take(spent - this.#account.held)) await this.#grow(spent - this.#account.held);
      this.#spent = spent;
      if (taken !== undefined && data.length > SHORT_WRITE && position <= this.#size) {
        await this.#writeTaken(data, position, taken);
        return;
      }
      try {
        await writeFully(this.#file, data, position);
      } catch (error) {
        // A place that this disk has no file for: what is elsewhere is as it was.
        if (systemErrorCode(error) === 'EFBIG') await this.#takeBack(position, before);
        else this.#harm.poison(error);
        throw error;
      }
      this.#changed(Math.max(this.#size, position + data.length));
      if (data.length === this.#size && data.length <= SHORT_WRITE) this.#digest.pass(data, 0);
    });
  }

  /** Cuts, or extends with zeros. Rejects with the disk's error. A poisoned draft can only be emptied, and is like a new one then. */
  truncate(size: number): Promise<void> {
    return this.#change(async () => {
      if (size > 0) this.#harm.refuse();
      refuseSize(size);
      await this.#harm.orPoison(() => this.#file.truncate(size));
      this.#harm.heal();
      this.#spent = Math.min(this.#spent, size);
      if (size < this.#size) this.#account.shrinkTo(this.#spent);
      this.#changed(size);
    });
  }

  /** Resolves when bytes and description are on the local disk. Rejects with the disk's error, also when the draft is poisoned. */
  sync(): Promise<void> {
    return this.#change(async () => {
      // Whoever asks is about to promise these bytes.
      this.#harm.refuse();
      const sync = (): Promise<void> => this.#file.sync();
      // Only what is said of it is new: that costs its bytes nothing.
      await (this.#syncedRevision === this.#revision ? sync() : this.#harm.orPoison(sync));
      this.#syncedRevision = this.#revision;
    });
  }

  /** Writes into its file what it is; durable after `sync`. Rejects with the disk's error. */
  describe(facts: DraftFacts): Promise<void> {
    return this.#file.describe(facts);
  }

  /** Of all bytes, lower-case hexadecimal. Costs a reading of those that no upload has read. Rejects as `sync`. */
  md5(): Promise<string> {
    return this.#change(async () => {
      this.#harm.refuse();
      await this.#digest.passRest(this.#file, this.#size);
      return this.#digest.digest();
    });
  }

  /** As `md5`; null where more than `most` bytes would have to be read for it. */
  async md5Within(most: number): Promise<string | null> {
    return this.#size - this.#digest.hashed > most ? null : this.md5();
  }

  /**
   * The bytes as they are now, for an upload. Nobody may change the draft until the upload has ended; a reading of the body
   * rejects if somebody did, or if the draft is poisoned. `tap` sees the bytes pass.
   */
  body(contentType: string | undefined, tap?: UploadTap): UploadBody {
    this.#harm.refuse();
    const revision = this.#revision;
    return departing({
      file: this.#file,
      size: this.#size,
      contentType,
      isUnchanged: () => this.#revision === revision,
      digest: this.#digest,
      tap,
      handedOver: (bytes) => {
        this.#handedOver = bytes;
      },
    });
  }

  /** Its file shall not be found by anybody else, now or after the process; it goes on here. */
  hide(): Promise<void> {
    return this.#file.unlink();
  }

  /** The file stays. Nothing may be asked of the draft afterwards. */
  close(): Promise<void> {
    return this.#end(() => this.#file.close());
  }

  /** Deletes the file. Nothing may be asked of the draft afterwards. */
  remove(): Promise<void> {
    this.setLeaving(true);
    return this.#end(() => this.#file.remove());
  }

  #end(step: () => Promise<void>): Promise<void> {
    return this.#change(() =>
      step().finally(() => {
        this.#account.close();
      }),
    );
  }

  async #grow(bytes: number): Promise<void> {
    try {
      await this.#account.grow(bytes);
    } catch (error) {
      if (!(error instanceof NoRoom) || !error.mayPass) this.#harm.poison(error);
      throw error;
    }
  }

  /** Nothing that was to be written at `position` is there: neither its room, nor what came before the first byte that was refused. */
  async #takeBack(
    position: number,
    { spent, held }: { readonly spent: number; readonly held: number },
  ): Promise<void> {
    this.#changed(this.#size);
    await this.#harm.orPoison(() => this.#file.truncate(this.#size));
    // Bytes in its middle may be where there was a hole.
    if (position < this.#size) return;
    this.#spent = spent;
    this.#account.shrinkTo(held);
  }

  /** Whoever heard that the bytes are taken thinks that they are here: without them nothing of the draft is worth anything. */
  async #writeTaken(data: Uint8Array, position: number, taken: () => void): Promise<void> {
    this.#changed(Math.max(this.#size, position + data.length));
    const written = writeFully(this.#file, data, position).catch((error: unknown) => {
      this.#harm.lose(error);
      throw error;
    });
    const underWay = written
      .catch(() => undefined)
      .finally(() => {
        if (this.#underWay === underWay) this.#underWay = null;
      });
    this.#underWay = underWay;
    taken();
    await written;
  }

  #change<Result>(step: () => Promise<Result>): Promise<Result> {
    const result = this.#changes.then(step);
    // Each caller hears of its own failure; the next change is not stopped by it.
    this.#changes = result.catch(() => undefined);
    return result;
  }

  #changed(size: number): void {
    this.#digest.reset();
    this.#size = size;
    this.#revision += 1;
  }
}
