/**
 * One file's bytes go to the service now: which of its drafts, and what if that fails or meets somebody else's file?
 */
import type { Draft } from '../../content/draft.ts';
import { BaseReplaced, type Conflicts, type Edited } from './conflicts.ts';
import type { DraftEnds } from '../drafts/draft-ends.ts';
import { cutBy } from '../errno-of.ts';
import { draftsOf } from '../drafts/draft-records.ts';
import { FsError } from '../errors.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile } from '../open-file.ts';
import type { RenameHolds } from '../rename/rename-holds.ts';
import type { Sending } from './sending.ts';
import type { Shelf } from '../shelf/shelf.ts';
import { StoppableUpload, UploadStopped } from './stoppable-upload.ts';
import type { Deletions } from '../write-back/deletions.ts';

export interface StoringParts {
  readonly sending: Sending;
  readonly conflicts: Conflicts;
  readonly shelf: Shelf;
  readonly ends: DraftEnds;
  readonly deletions: Deletions;
  readonly holds: RenameHolds;
  /** What a close has promised is a file of its own from now on, which nobody has open. */
  readonly movedAside: (promised: OpenFile) => void;
}

/** Rejects with an `FsError`, with a refusal, or with the local disk's error: the bytes are then still here; within `claimed` also with `UploadStopped`. */
export class Storing {
  readonly #mount: MountState;
  readonly #sending: Sending;
  readonly #conflicts: Conflicts;
  readonly #shelf: Shelf;
  readonly #ends: DraftEnds;
  readonly #deletions: Deletions;
  readonly #holds: RenameHolds;
  readonly #movedAside: (promised: OpenFile) => void;

  constructor(mount: MountState, parts: StoringParts) {
    this.#mount = mount;
    this.#sending = parts.sending;
    this.#conflicts = parts.conflicts;
    this.#shelf = parts.shelf;
    this.#ends = parts.ends;
    this.#deletions = parts.deletions;
    this.#holds = parts.holds;
    this.#movedAside = parts.movedAside;
  }

  /**
   * Runs `change` while the path of `file` is claimed, wherever a rename takes it before; again after who removes or renames the file, for
   * whom it was stopped. On a conflict the file gets a name of its own, and `change` runs there.
   */
  async claimed(file: OpenFile, change: () => Promise<void>): Promise<void> {
    for (;;) {
      const { path } = file;
      try {
        const done = await this.#mount.claims.run([path], async () => {
          // A rename may have moved the file while this waited.
          if (file.path !== path) return false;
          file.storing = new StoppableUpload();
          file.isStopped = false;
          await change().finally(() => {
            file.storing = null;
          });
          return true;
        });
        if (done) return;
      } catch (error) {
        if (error instanceof UploadStopped) {
          file.isStopped = true;
          continue;
        }
        if (!keepsBoth(error)) throw error;
        await this.#moveAside(file, path, error.edited);
      }
    }
  }

  /** Stores what is promised of `file`; what programs are writing meanwhile is a draft of its own. */
  async sealed(file: OpenFile): Promise<void> {
    const { sealed } = file;
    if (file.detached) return;
    if (sealed === null) {
      if (!file.dirty && file.publishPending) await this.#sending.publishAgain(file);
      return;
    }
    try {
      // Or its bytes are stored, and only its link is still down.
      const isMeant = (): boolean => file.sealed === sealed || (file.sealed === null && !file.dirty);
      await this.#send(file, sealed.draft, isMeant);
    } finally {
      // Its upload has ended, or another close has promised newer bytes meanwhile.
      const isOver = file.sealed !== sealed && file.draft !== sealed.draft;
      if (isOver) await this.#mount.kept.drop(sealed.draft);
    }
  }

  /** Stores what is in the draft of `file` now, if that `isMeant` still once nobody writes; writers wait. */
  async through(file: OpenFile, isMeant: () => boolean = () => true): Promise<void> {
    if (file.detached) return;
    if (!file.dirty) {
      if (file.publishPending) await this.#sending.publishAgain(file);
      return;
    }
    if (await this.#shelf.keeps(file)) return;
    await file.gate.still(async () => {
      if (isMeant()) await this.#sendStill(file);
    });
  }

  /** `edited` is what cannot be stored at `path`; a program may be writing the next. */
  async #moveAside(file: OpenFile, path: string, { draft, revision }: Edited): Promise<void> {
    try {
      const promised = await this.#conflicts.moveAside(file, path);
      if (promised !== null) this.#movedAside(promised);
    } catch (error) {
      // Nobody writes to it meanwhile, or has since: half of that would count as tried, and as whole.
      await file.gate.still(async () => {
        const isSame = draftsOf(file).has(draft) && draft.revision === revision;
        if (isSame && file.path === path) await this.#ends.failed(file, draft, error);
      });
      throw error;
    }
  }

  async #sendStill(file: OpenFile): Promise<void> {
    const { draft, sealed } = file;
    if (!file.dirty || draft === null) return;
    if (draft.poisoned !== null) throw cutBy(draft.poisoned, file.path);
    await this.#send(file, draft, () => true);
    if (sealed !== null && sealed.draft !== draft) await this.#mount.kept.drop(sealed.draft);
  }

  async #send(file: OpenFile, draft: Draft, isStillMeant: () => boolean): Promise<void> {
    file.goingUp = draft;
    // What a close has promised is on its way before and after, as long as it is tried again.
    const isPromised = (): boolean => file.sealed?.draft === draft;
    if (!isPromised()) draft.setLeaving(true);
    const ended = draft.uploading();
    let isStopped = false;
    try {
      if (this.#holds.has(draft))
        throw new FsError('EIO', file.path, 'its rename, which a crash had cut, is not finished yet');
      // What an earlier mount was to delete first is no file to be replaced, and has no link to be kept.
      if (file.isLeftBehind) await this.#deletions.finishClaimed(file.path);
      await this.#sending.send(file, draft);
      ended(true);
      file.failure = null;
    } catch (error) {
      isStopped = error instanceof UploadStopped;
      // Who waits for room may hope as before.
      ended(isStopped);
      if (!isStopped && !keepsBoth(error) && isStillMeant()) await this.#ends.failed(file, draft, error);
      throw error;
    } finally {
      file.goingUp = null;
      // One that was stopped goes on, or its bytes go.
      if (!isStopped && !isPromised()) draft.setLeaving(false);
      await this.#mount.kept.uploads.ended(file, draft);
    }
  }
}

/** Whether it is a conflict that ends with two files. */
export function keepsBoth(error: unknown): error is BaseReplaced {
  return error instanceof BaseReplaced && error.keepsBoth;
}
