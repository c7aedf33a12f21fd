/**
 * How do a file's bytes change? Only in its draft: nothing here reaches the service, but to fetch the base version of an edit.
 */
import type { ByteRange } from '../../base/byte-range.ts';
import { describeError } from '../../base/errors.ts';
import type { Draft } from '../../content/draft.ts';
import { NoRoom } from '../../content/space-account.ts';
import type { Version } from '../../store/version.ts';
import { changedLocal } from '../attributes/shown-attributes.ts';
import { draftFactsOf } from '../drafts/draft-records.ts';
import { EarlyAnswers } from './early-answers.ts';
import { FsError } from '../errors.ts';
import type { MountState } from '../mount-state.ts';
import type { Handle, OpenFile } from '../open-file.ts';
import type { Reading } from '../read/reading.ts';
import type { Sealing } from '../write-back/sealing.ts';

type MakeDraft = 'createDraft' | 'createKeepsake';

/** Rejects with an `FsError`, with the local disk's error, or with what ended the fetch of the base version. */
export class Writing {
  readonly #mount: MountState;
  readonly #reading: Reading;
  readonly #sealing: Sealing;
  readonly #early = new EarlyAnswers();

  constructor(mount: MountState, reading: Reading, sealing: Sealing) {
    this.#mount = mount;
    this.#reading = reading;
    this.#sealing = sealing;
  }

  /** As `FileSystemOperations.write`. */
  async write(handle: Handle, data: Uint8Array, position: number, free?: () => void): Promise<number> {
    const { file } = handle;
    requireWritable(handle);
    if (free === undefined) await this.#write(file, data, position);
    else {
      await this.#early.answered({
        bytes: data.length,
        // The gate is held until the bytes are on the disk: whoever stores them waits for that.
        write: (taken) => this.#write(file, data, position, taken).finally(free),
        failedLater: (error) => {
          this.#mount.log.error('bytes that a program wrote did not get onto the local disk', {
            path: file.path,
            cause: describeError(error),
          });
        },
      });
    }
    return data.length;
  }

  /** As `FileSystemOperations.allocate`. What takes no room yet, since it is not fetched, gets its own when it is. */
  async allocate(handle: Handle, { start, end }: ByteRange, keepsSize: boolean): Promise<void> {
    const { file } = handle;
    requireWritable(handle);
    await this.change(file, async () => {
      const grows = !keepsSize && end > file.size;
      const draft = grows ? await this.changeable(file, Infinity) : file.draft;
      if (draft === null) return;
      await draft.reserve(Math.min(draft.spent + (end - start), Math.max(file.size, end)));
      if (!grows) return;
      await this.#mount.kept.changing(file, draft);
      await draft.truncate(end);
      this.#touched(file);
    });
  }

  /** Changes the size of an open file. Nothing is uploaded by it. False where it has that size, and its bytes stay. */
  async truncate(file: OpenFile, size: number): Promise<boolean> {
    return this.change(file, async () => {
      const { size: before } = file;
      if (size > 0 && size === before) return false;
      const draft = await this.changeable(file, size);
      await this.#mount.kept.changing(file, draft);
      if (size === 0) this.#emptied(file, before > 0);
      await draft.truncate(size);
      this.#touched(file);
      return true;
    });
  }

  /** As `draftOf`, of the bytes that `file` has now; none of them is promised by a close. For callers inside the file's gate. */
  async changeable(file: OpenFile, keep: number): Promise<Draft> {
    const draft = await this.draftOf(file, Math.min(keep, file.version?.size ?? 0));
    return (await this.#sealing.unsealed(file, keep)) ?? draft;
  }

  /**
   * Runs `change` inside the file's gate. One that finds no room runs again when uploads have made some, if any are to be expected:
   * nobody may wait for that inside a gate, since the upload may need it.
   */
  async change<Result>(file: OpenFile, change: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await file.gate.write(change);
      } catch (error) {
        if (!(error instanceof NoRoom) || !error.mayPass) throw error;
        await this.#mount.content.roomFor(error.bytes);
      }
    }
  }

  async #write(file: OpenFile, data: Uint8Array, position: number, taken?: () => void): Promise<void> {
    await this.change(file, async () => {
      const draft = await this.changeable(file, Infinity);
      await this.#mount.kept.changing(file, draft);
      const told = { isTaken: false };
      const onTaken = (): void => {
        told.isTaken = true;
        this.#wrote(file);
        taken?.();
      };
      try {
        await draft.write(data, position, taken && onTaken);
      } finally {
        // Also when it failed: what the draft holds is no longer what the service has.
        if (!told.isTaken) this.#wrote(file);
      }
    });
  }

  /**
   * Before the version that handles read ends on the service: what is not here yet is fetched, if it fits into the memory
   * that cached bytes may use. Beyond that those handles will get ESTALE. Resolves with false when the service has that version no more.
   */
  async keepForReaders(file: OpenFile): Promise<boolean> {
    const { version, path } = file;
    const { log, settings } = this.#mount;
    if (file.handles.size === 0 || file.draft !== null || version === null || version.size === 0) return true;
    if (version.size > settings.memoryLimit) {
      log.warn('a file still open is too large to keep: those who read it will get ESTALE', {
        path,
        bytes: version.size,
      });
      return true;
    }
    try {
      await this.draftOf(file, version.size, 'createKeepsake');
      return true;
    } catch (error) {
      log.warn('a file still open could not be kept for those who read it', {
        path,
        cause: describeError(error),
      });
      return !(error instanceof FsError && error.code === 'ESTALE');
    }
  }

  /**
   * The draft of `file`, made when there is none yet: it then holds the first `keep` bytes of the stored version. Rejects with
   * `VersionChanged` when somebody replaced that version meanwhile.
   */
  async draftOf(file: OpenFile, keep: number, make: MakeDraft = 'createDraft'): Promise<Draft> {
    while (file.draft === null) {
      // A second writer who waits with us may need more of the base than the first did; both get the same draft, so the
      // first truncated afterwards, under its own call.
      file.drafting ??= this.#entered(file, keep, make).finally(() => {
        file.drafting = null;
      });
      await file.drafting;
    }
    return file.draft;
  }

  /** All bytes of `base`, the stored version of `file`, in a draft that is the caller's to remove. Rejects as `draftOf`. */
  async copyOf(file: OpenFile, base: Version): Promise<Draft> {
    const { content, clock } = this.#mount;
    const draft = await content.createCopy(draftFactsOf(file, { createdAt: clock.now(), sealed: null }));
    if (base.size > 0) await this.#copy(file, { base, keep: base.size, draft });
    return draft;
  }

  /** The draft is the file's before it stops being made: who came in between would make another, which nobody would remove. */
  async #entered(file: OpenFile, keep: number, make: MakeDraft): Promise<Draft> {
    const draft = await this.#fill(file, keep, make);
    if (file.draft === null) {
      file.draft = draft;
      if (file.detached) await this.#mount.kept.hide(draft, file.path);
      return draft;
    }
    // One that could not be set aside came back meanwhile.
    await draft.remove();
    return file.draft;
  }

  async #fill(file: OpenFile, keep: number, make: MakeDraft): Promise<Draft> {
    const { content, clock } = this.#mount;
    const base = file.version;
    // Who adds to a file that is empty did not mean to replace what others have put there since.
    file.wishes.basis = base === null || (keep === 0 && base.size > 0) ? 'rewrite' : 'edit';
    const draft = await content[make](draftFactsOf(file, { createdAt: clock.now(), sealed: null }));
    if (base !== null && keep > 0) await this.#copy(file, { base, keep, draft });
    return draft;
  }

  /** Fills `draft`, or removes it and rejects. */
  async #copy(
    file: OpenFile,
    { base, keep, draft }: { readonly base: Version; readonly keep: number; readonly draft: Draft },
  ): Promise<void> {
    try {
      await draft.reserve(keep);
      const copy = (): Promise<void> =>
        this.#reading.whileCurrent(
          file,
          this.#reading.readerOf(file, base).copyTo(draft, { start: 0, end: keep }),
        );
      await copy().catch(async (error: unknown) => {
        if (!(await this.#reading.isNamedNow(file, base, error))) throw error;
        await copy();
      });
    } catch (error) {
      await draft.remove();
      throw error;
    }
  }

  #emptied(file: OpenFile, wasFull: boolean): void {
    // What was set of other bytes says nothing of those to come.
    if (wasFull) file.wishes.contentType = null;
    file.wishes.basis = 'rewrite';
    file.isOverSealed = false;
    file.isTakenUp = false;
    file.written = false;
    file.passedOver = false;
  }

  #wrote(file: OpenFile): void {
    this.#touched(file);
    file.written = true;
  }

  #touched(file: OpenFile): void {
    const now = this.#mount.clock.now();
    const before = file.dirty ? file.wishes.local : file.version?.local;
    file.dirty = true;
    const modified = file.version?.lastModified.getTime();
    file.wishes.local = changedLocal({ ...before }, { mtime: now, ctime: now }, modified);
    // Its name may have gone to a version that somebody else stored: what was written last is what the path shows.
    if (!file.detached) this.#mount.table.show(file);
  }
}

function requireWritable({ canWrite, path }: Handle): void {
  if (!canWrite) throw new FsError('EBADF', path, 'not open for writing');
}
