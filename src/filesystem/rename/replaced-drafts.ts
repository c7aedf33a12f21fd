/**
 * A crash has cut a rename in two, and its copy is stored: what becomes of the draft that has waited under the new name since before? The
 * copy has replaced it, so nobody wants it, unless programs have gone on with it since this mount began.
 */
import type { Draft } from '../../content/draft.ts';
import type { RenameStepRecord } from '../../content/journal/records.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile } from '../open-file.ts';
import type { Uploading } from '../write/uploading.ts';
import type { StepChange } from './rename-journal.ts';
import { draftIn } from './rename-steps.ts';

/** What makes the record of the step say nothing any more of the draft with this identifier. */
export type Without = (draft: string) => StepChange;

/** For callers who hold the claim of the new name. */
export class ReplacedDrafts {
  readonly #mount: MountState;
  readonly #uploading: Uploading;
  /** What programs hold of files that copies have replaced: it is nothing of the renames any more. */
  readonly #goneOnWith = new WeakSet<OpenFile>();

  constructor(mount: MountState, uploading: Uploading) {
    this.#mount = mount;
    this.#uploading = uploading;
  }

  /** Whether `file` is what programs have gone on with of one that a copy has replaced. */
  has(file: OpenFile): boolean {
    return this.#goneOnWith.has(file);
  }

  /**
   * Ends the draft of `step` that waits as `file`. Nothing happens when it returns false: a program has closed something newer there since
   * the step began, made of what nobody can tell. Rejects with the local disk's error.
   */
  async end(file: OpenFile, step: RenameStepRecord, without: Without): Promise<boolean> {
    // Whoever is just writing to it has ended then.
    return file.gate.still(async () => {
      const promised = draftIn(file, step);
      if (promised === undefined) return false;
      if (file.draft !== promised) await this.#endPromise(file, promised);
      else if (file.hasWriters()) await this.#leaveToWriters(file, promised, without);
      else await this.#detach(file);
      return true;
    });
  }

  /** Programs have gone on with a draft of their own: what is edited of bytes that are replaced is a conflict, for its close to find. */
  async #endPromise(file: OpenFile, promised: Draft): Promise<void> {
    if (file.isOverSealed) file.wishes.basis = 'edit';
    file.isOverSealed = false;
    file.version ??= file.doubts.versions.at(-1) ?? null;
    if (file.sealed?.draft === promised) file.sealed = null;
    this.#goneOnWith.add(file);
    await this.#mount.kept.drop(promised);
  }

  /**
   * They have opened it since the rename was asked for: as when somebody else replaces it, what they write is an edit in conflict. Into the
   * same draft: it must not be taken for what the copy has replaced when the step is taken again.
   */
  async #leaveToWriters(file: OpenFile, promised: Draft, without: Without): Promise<void> {
    const { table, kept } = this.#mount;
    const { changes, done } = without(promised.id);
    await kept.ending(file, changes);
    done();
    this.#goneOnWith.add(file);
    table.remove(file);
    file.dirty = false;
    file.sealed = null;
    file.wishes.basis = 'edit';
    file.version ??= file.doubts.versions.at(-1) ?? null;
    file.forgetUploads();
    await kept.retire(promised);
    await kept.linkSettled(file);
  }

  async #detach(file: OpenFile): Promise<void> {
    this.#mount.table.detach(file);
    await this.#mount.kept.detached(file);
    await this.#uploading.dropUnused(file);
  }
}
