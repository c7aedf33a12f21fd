/**
 * When do a draft's bytes go to the service, and when are they let go of?
 *
 * They go at flush and fsync, whose errors reach the program, and as a last chance at release, whose error only the log sees.
 * Not at once goes an object emptied by O_TRUNC whose new bytes are still to come (`echo x > f` flushes once before it writes),
 * and never a draft that a full disk has cut. How they go: sending.ts.
 */
import { describeError } from '../base/errors.ts';
import type { Draft } from '../content/draft.ts';
import { BaseReplaced, type Conflicts } from './conflicts.ts';
import { isPassing } from './errno-of.ts';
import { FsError } from './errors.ts';
import type { MountState } from './mount-state.ts';
import type { Handle, OpenFile } from './open-file.ts';
import type { Reading } from './reading.ts';
import type { Sending } from './sending.ts';
import type { Shelf } from './shelf.ts';

export interface UploadingParts {
  readonly reading: Reading;
  readonly sending: Sending;
  readonly conflicts: Conflicts;
  readonly shelf: Shelf;
}

/** Rejects with an `FsError`, with a refusal, or with the local disk's error: the bytes are then still here. */
export class Uploading {
  readonly #mount: MountState;
  readonly #reading: Reading;
  readonly #sending: Sending;
  readonly #conflicts: Conflicts;
  readonly #shelf: Shelf;

  constructor(mount: MountState, parts: UploadingParts) {
    this.#mount = mount;
    this.#reading = parts.reading;
    this.#sending = parts.sending;
    this.#conflicts = parts.conflicts;
    this.#shelf = parts.shelf;
  }

  /** One close(2): stores what the handle's file has new. Rejects as `store`. */
  async flush(handle: Handle): Promise<void> {
    const { file } = handle;
    if (!handle.canWrite || this.#waitsForMore(file)) return;
    await this.store(file);
  }

  /** One fsync(2): as `store`; what is to stay here is on the local disk then. */
  async sync(file: OpenFile): Promise<void> {
    await this.store(file);
    await this.#shelf.record(file);
  }

  /** Stores the draft, if it holds anything new and is not to stay here. Rejects with why it could not; the draft then stays. */
  async store(file: OpenFile): Promise<void> {
    await this.#claimed(file, () => this.storeClaimed(file));
  }

  /** As `store`, for a caller that holds the claim of the file's path: every conflict is a `BaseReplaced`. */
  async storeClaimed(file: OpenFile): Promise<void> {
    if (file.detached) return;
    if (!file.dirty) {
      if (file.publishPending) await this.#sending.publishAgain(file);
      return;
    }
    if (await this.#shelf.keeps(file)) return;
    await file.gate.still(() => this.#sendStill(file));
  }

  /** As `store`; local bytes that nobody has open are let go of then. */
  async storeAndDrop(file: OpenFile): Promise<void> {
    await this.#claimed(file, async () => {
      await this.storeClaimed(file);
      await this.dropUnused(file);
    });
  }

  /** The last handle is gone: a last try for bytes that no flush has tried, and an end for drafts that will never go up. */
  async settle(file: OpenFile): Promise<void> {
    // Nothing else looks at it any more, and its path may be claimed for a long upload of another file.
    if (file.detached) await this.dropUnused(file);
    // A rename or an unlink under way may be reading the draft: it ends first.
    else await this.#claimed(file, () => this.#settleClaimed(file));
    this.#shelf.closed(file, () => {
      this.settle(file).catch((error: unknown) => {
        this.#mount.log.error('a file could not be stored', { path: file.path, cause: describeError(error) });
      });
    });
  }

  /** The service refused for good and no handle is open: the bytes are set aside, and the name shows the service's file. */
  async giveUp(file: OpenFile): Promise<void> {
    await this.#setAside(file);
    await this.dropUnused(file);
  }

  /** Lets go of local bytes that nobody has open and that the service has. For callers who hold the path's claim. */
  async dropUnused(file: OpenFile): Promise<void> {
    if (file.handles.size === 0 && (!file.dirty || file.detached)) await this.#dropDraft(file);
  }

  /**
   * An existing object that was emptied and not written yet: the first flush passes over it, since shells flush a duplicated
   * descriptor before the program writes a byte. A new file has nothing to lose and is stored at once.
   */
  #waitsForMore(file: OpenFile): boolean {
    if (!file.dirty || file.written || file.passedOver || file.version === null || file.size > 0)
      return false;
    file.passedOver = true;
    return true;
  }

  /**
   * Runs `change` while the path of `file` is claimed, wherever a rename takes it before. On a conflict the file gets a name of
   * its own, and `change` runs there.
   */
  async #claimed(file: OpenFile, change: () => Promise<void>): Promise<void> {
    for (;;) {
      const { path } = file;
      try {
        const done = await this.#mount.claims.run([path], async () => {
          // A rename may have moved the file while this waited.
          if (file.path !== path) return false;
          await change();
          return true;
        });
        if (done) return;
      } catch (error) {
        if (!keepsBoth(error)) throw error;
        await this.#moveAside(file, path);
      }
    }
  }

  async #moveAside(file: OpenFile, path: string): Promise<void> {
    try {
      await this.#conflicts.moveAside(file, path);
    } catch (error) {
      if (file.draft !== null && file.path === path) await this.#failed(file, file.draft, error);
      throw error;
    }
  }

  async #sendStill(file: OpenFile): Promise<void> {
    const { draft } = file;
    if (!file.dirty || draft === null) return;
    if (draft.poisoned !== null) {
      throw new FsError('ENOSPC', file.path, 'a write found no space, so the file is not stored');
    }
    file.uploading = true;
    try {
      await this.#sending.send(file, draft);
      file.failure = null;
    } catch (error) {
      if (!keepsBoth(error)) await this.#failed(file, draft, error);
      throw error;
    } finally {
      file.uploading = false;
    }
  }

  async #settleClaimed(file: OpenFile): Promise<void> {
    // Somebody may have opened it again while this waited.
    if (file.handles.size > 0) return;
    const { draft } = file;
    const poison = draft?.poisoned ?? null;
    if (poison !== null && !file.detached) {
      this.#mount.log.error('a file cut by a full disk was not stored', { path: file.path, cause: poison });
      await this.#dropDraft(file);
      return;
    }
    if (file.dirty && file.failure?.revision !== draft?.revision) {
      await this.storeClaimed(file).catch((error: unknown) => {
        if (keepsBoth(error)) throw error;
        // Nobody is left to hear it; #failed has logged it, and the draft stays.
        this.#mount.log.debug('upload at release failed', { path: file.path, cause: describeError(error) });
      });
    }
    // Or while it was stored.
    if (file.handles.size > 0) return;
    if (file.dirty && file.failure !== null && !this.#mayTryAgain(file, file.failure.error))
      await this.#setAside(file);
    await this.dropUnused(file);
  }

  #mayTryAgain(file: OpenFile, error: unknown): boolean {
    // Without a name nobody would find the bytes, or try again.
    return isPassing(error) && this.#mount.table.get(file.path) === file;
  }

  async #failed(file: OpenFile, draft: Draft, error: unknown): Promise<void> {
    const repeated = file.failure?.revision === draft.revision;
    file.failure = { error, revision: draft.revision };
    if (file.endUnknown) this.#mount.namespace.known.changed(file.path, { kind: 'unknown' });
    const fields = { path: file.path, cause: describeError(error), bytes: draft.size };
    if (!file.dirty) this.#mount.log.error('a file was stored, but not made public again', fields);
    else if (repeated) this.#mount.log.warn('a file could again not be stored', fields);
    else this.#mount.log.error('a file could not be stored; its bytes are kept here', fields);
    if (file.dirty) await this.#mount.kept.failed(file, draft, error);
  }

  async #setAside(file: OpenFile): Promise<void> {
    const { draft, failure } = file;
    if (draft === null) return;
    // Taken out before anything is awaited: whoever opens the file meanwhile must not write into a draft that goes.
    file.draft = null;
    file.dirty = false;
    file.loseWrites();
    const reason = describeError(failure?.error);
    try {
      await this.#mount.kept.setAside(file, draft, reason);
      this.#mount.log.error('the service refused a file for good; its bytes are set aside', {
        path: file.path,
        where: draft.path,
        reason,
      });
    } catch (error) {
      this.#mount.log.error('a refused file could not be set aside; its bytes stay in their draft', {
        path: file.path,
        where: draft.path,
        cause: describeError(error),
      });
      if (!this.#isUnused(file)) return;
      file.draft = draft;
      file.dirty = true;
    }
  }

  #isUnused(file: OpenFile): boolean {
    return file.handles.size === 0 && file.draft === null;
  }

  async #dropDraft(file: OpenFile): Promise<void> {
    const { draft } = file;
    if (file.dirty) file.loseWrites();
    file.draft = null;
    file.dirty = false;
    this.#reading.letGo(file);
    if (!file.publishPending) this.#mount.table.remove(file);
    if (draft !== null) await this.#mount.kept.drop(draft);
  }
}

/** Whether it is a conflict that ends with two files. */
function keepsBoth(error: unknown): boolean {
  return error instanceof BaseReplaced && error.keepsBoth;
}
