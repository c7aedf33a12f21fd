/**
 * Where do a file's new bytes wait until they are uploaded? In a temporary file of this user.
 *
 * Changes go one after another, whoever makes them: two writes to the same place must leave in the hash what they leave in the
 * file, and the system promises no order for calls in flight together.
 */
import { systemErrorCode } from '../base/errors.ts';
import type { UploadBody } from '../service/object-service.ts';
import { DraftDigest } from './draft-digest.ts';
import type { DraftFacts } from './draft-facts.ts';
import type { DraftFile } from './draft-file.ts';
import { readFully, writeFully } from './local-files.ts';

/** Sees the bytes of an upload pass, in order; position 0 again when the upload is tried again. */
export type UploadTap = (data: Uint8Array, position: number) => void;

/** Bytes an upload hands over at once. */
const CHUNK = 512 * 1024;

/** Errors of the disk after which nobody knows what the file holds. */
const POISON = new Set(['ENOSPC', 'EDQUOT', 'EIO']);

/** A file's new bytes. Every method may be called while any other is in progress. */
export class Draft {
  readonly #file: DraftFile;
  readonly #digest = new DraftDigest();
  #size: number;
  #revision = 0;
  #poisoned: string | null = null;
  /** Settles when all changes asked for so far are made. */
  #changes: Promise<unknown> = Promise.resolve();

  /** Nobody else uses `file`, which holds `size` bytes of content. */
  constructor(file: DraftFile, size = 0) {
    this.#file = file;
    this.#size = size;
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

  /** Counts changes: equal numbers mean equal bytes. */
  get revision(): number {
    return this.#revision;
  }

  /** The disk's error (`ENOSPC`, `EDQUOT`, `EIO` or another) that cut a change short: the bytes must never be uploaded. */
  get poisoned(): string | null {
    return this.#poisoned;
  }

  /** Fills `into` from byte `position`; fewer bytes than asked means end of file. Rejects with the disk's error. */
  async read(into: Uint8Array, position: number): Promise<number> {
    const wanted = Math.max(0, Math.min(into.length, this.#size - position));
    return wanted === 0 ? 0 : readFully(this.#file, into.subarray(0, wanted), position);
  }

  /**
   * Writes all of `data`, which may be reused after the promise settles. Rejects with the disk's error and is poisoned then; a
   * poisoned draft takes no more bytes.
   */
  write(data: Uint8Array, position: number): Promise<void> {
    return this.#change(async () => {
      this.#refuseIfPoisoned();
      if (data.length === 0) return;
      try {
        await writeFully(this.#file, data, position);
      } catch (error) {
        this.#poisoned = systemErrorCode(error) ?? 'EIO';
        throw error;
      }
      this.#digest.wrote(data, position);
      this.#changed(Math.max(this.#size, position + data.length));
    });
  }

  /** Cuts, or extends with zeros. Rejects with the disk's error. */
  truncate(size: number): Promise<void> {
    return this.#change(async () => {
      this.#refuseIfPoisoned();
      await this.#orPoison(() => this.#file.truncate(size));
      this.#digest.truncated(size);
      this.#changed(size);
    });
  }

  /** Resolves when bytes and description are on the local disk. Rejects with the disk's error. */
  sync(): Promise<void> {
    return this.#change(() => this.#orPoison(() => this.#file.sync()));
  }

  /** Writes into its file what it is; durable after `sync`. Rejects with the disk's error. */
  describe(facts: DraftFacts): Promise<void> {
    return this.#file.describe(facts);
  }

  /** Of all bytes, lower-case hexadecimal. Costs a reading of those that did not arrive in order. Rejects with the disk's error. */
  md5(): Promise<string> {
    return this.#change(async () => {
      const buffer = new Uint8Array(this.#digest.hashed < this.#size ? CHUNK : 0);
      while (this.#digest.hashed < this.#size) {
        const rest = buffer.subarray(0, Math.min(CHUNK, this.#size - this.#digest.hashed));
        const count = await readFully(this.#file, rest, this.#digest.hashed);
        if (count === 0) throw new Error('the draft is shorter than what was written to it');
        this.#digest.append(rest.subarray(0, count));
      }
      return this.#digest.digest();
    });
  }

  /**
   * The bytes as they are now, for an upload. Nobody may change the draft until the upload has ended; a reading of the body
   * rejects if somebody did, or if the draft is poisoned. `tap` sees the bytes pass.
   */
  body(contentType: string | undefined, tap?: UploadTap): UploadBody {
    this.#refuseIfPoisoned();
    const revision = this.#revision;
    const size = this.#size;
    return { size, contentType, open: () => this.#chunks({ revision, size, tap }) };
  }

  /** Its file shall not be found by anybody else, now or after the process; it goes on here. */
  hide(): Promise<void> {
    return this.#file.unlink();
  }

  /** The file stays. Nothing may be asked of the draft afterwards. */
  close(): Promise<void> {
    return this.#change(() => this.#file.close());
  }

  /** Deletes the file. Nothing may be asked of the draft afterwards. */
  remove(): Promise<void> {
    return this.#change(() => this.#file.remove());
  }

  async *#chunks(sealed: {
    readonly revision: number;
    readonly size: number;
    readonly tap: UploadTap | undefined;
  }): AsyncGenerator<Uint8Array> {
    for (let position = 0; position < sealed.size;) {
      // A buffer for each: whoever sends a chunk may hold on to it while the next is being read.
      const chunk = new Uint8Array(Math.min(CHUNK, sealed.size - position));
      const count = await readFully(this.#file, chunk, position);
      if (this.#revision !== sealed.revision || count < chunk.length) {
        throw new Error('the draft changed while it was being uploaded');
      }
      sealed.tap?.(chunk, position);
      yield chunk;
      position += chunk.length;
    }
  }

  #change<Result>(step: () => Promise<Result>): Promise<Result> {
    const result = this.#changes.then(step);
    // Each caller hears of its own failure; the next change is not stopped by it.
    this.#changes = result.catch(() => undefined);
    return result;
  }

  #changed(size: number): void {
    this.#size = size;
    this.#revision += 1;
  }

  async #orPoison(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      const code = systemErrorCode(error) ?? 'EIO';
      if (POISON.has(code)) this.#poisoned = code;
      throw error;
    }
  }

  #refuseIfPoisoned(): void {
    if (this.#poisoned === null) return;
    throw Object.assign(new Error('an earlier write to this draft failed'), { code: this.#poisoned });
  }
}
