/**
 * How is all as it was when the rename of a folder fails? What was moved is moved back, and stays whole where it is when it cannot be.
 */
import { atOnce } from '../../base/at-once.ts';
import { describeError } from '../../base/errors.ts';
import { isRefusal, type Refusal } from '../../service/refusal.ts';
import { pathAfterRename } from '../../store/keys.ts';
import type { CopyAnnouncement } from './copying.ts';
import { FsError } from '../errors.ts';
import {
  carry,
  FILES_AT_ONCE,
  type FolderMoveParts,
  type FolderPlan,
  type FolderSteps,
} from './folder-steps.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile } from '../open-file.ts';
import type { PlannedMove } from './rename-journal.ts';

/** Of one rename, for a caller who holds the claims of both paths. */
export class FolderUndo {
  readonly #mount: MountState;
  readonly #parts: FolderMoveParts;
  readonly #plan: FolderPlan;
  /** Steps in which the service has answered, whatever it said. */
  #answered = 0;
  /** Why nothing is asked any more; null: the service answers, as far as is known. */
  #silence: Refusal | null = null;

  constructor(mount: MountState, parts: FolderMoveParts, plan: FolderPlan) {
    this.#mount = mount;
    this.#parts = parts;
    this.#plan = plan;
  }

  /** Undoes `steps`, which `cause` ended. Never rejects: what cannot be moved back is logged, and stays whole where it is. */
  async run(steps: FolderSteps, cause: unknown): Promise<void> {
    const { from, to, record } = this.#plan;
    this.#mount.log.warn('the rename of a folder failed and is undone', {
      from,
      to,
      cause: describeError(cause),
    });
    const moves = steps.moved.map(({ path, version }) => ({ from: path, to: this.#back(path), version }));
    await this.#logging('the journal does not know that a rename is undone', to, () =>
      record.turnBack(moves),
    );
    for (const path of steps.removed.toReversed()) {
      await this.#logging('a folder is missing after a rename that failed', path, () =>
        this.#makeAgain(path),
      );
    }
    for (const file of steps.carried) {
      await this.#logging('a file stays where a rename that failed had moved it', file.path, () =>
        this.#ended(carry(this.#parts.moving, file, this.#back(file.path))),
      );
    }
    await atOnce([...moves.entries()], FILES_AT_ONCE, ([index, move]) =>
      this.#logging('a file stays where a rename that failed had moved it', move.from, () =>
        this.#asking(() => this.#moveBack(move, index)),
      ),
    );
    for (const path of steps.made.toSorted().toReversed()) {
      await this.#logging('a folder stays that a rename that failed had made', path, () =>
        this.#unmake(path),
      );
    }
  }

  /**
   * A `step` that asks the service; none any more once that has been silent during one for as long as a request waits. Each would wait as
   * long, with its program, and whoever wants a name in either folder.
   */
  async #asking<Result>(step: () => Promise<Result>): Promise<Result> {
    if (this.#silence !== null) throw this.#silence;
    const before = this.#answered;
    try {
      const result = await step();
      this.#answered += 1;
      return result;
    } catch (error) {
      if (!isSilence(error)) this.#answered += 1;
      else if (this.#answered === before) this.#silence = error;
      throw error;
    }
  }

  async #makeAgain(path: string): Promise<void> {
    const { namespace } = this.#mount;
    try {
      if ((await this.#asking(() => namespace.lookup(path))).kind === 'folder') return;
      await this.#asking(() => this.#parts.folders.create(path));
    } catch (error) {
      // What is not on the service goes back into it, and would be where nobody finds it.
      namespace.known.folderStays(path);
      this.#parts.folderTimes.copy(this.#there(path), path);
      throw error;
    }
    this.#parts.folderTimes.copy(this.#there(path), path);
  }

  async #unmake(path: string): Promise<void> {
    try {
      await this.#asking(() => this.#parts.folders.removeClaimed(path));
    } catch (error) {
      // It was never made.
      if (!(error instanceof FsError && error.code === 'ENOENT')) throw error;
    }
  }

  async #moveBack({ from, to, version }: PlannedMove, index: number): Promise<void> {
    const { table, namespace } = this.#mount;
    // The old name was free for a while.
    const there = await namespace.confirmFile(to);
    if (there?.kind === 'file')
      throw new FsError('EEXIST', to, 'somebody else has stored a file there since');
    const known = namespace.known.recall(from);
    const source = table.dirty(from) ?? table.entered(from, known?.kind === 'file' ? known.version : version);
    try {
      const announce: CopyAnnouncement = (...copy) =>
        // A full disk shall not keep anything from going back.
        this.#logging('the journal does not know of a copy', to, () =>
          this.#plan.record.announcement(index)(...copy),
        );
      await this.#ended(this.#parts.moving.move(source, { to, target: null, announce }));
    } finally {
      await this.#parts.uploading.dropUnused(source);
    }
  }

  /** What a file that goes back to its old name takes that name from is nobody's any more. */
  async #ended(moved: Promise<OpenFile | null>): Promise<void> {
    await this.#parts.moving.drafts.lost(await moved);
  }

  async #logging(message: string, path: string, task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      this.#mount.log.error(message, { key: path.slice(1), cause: describeError(error) });
    }
  }

  #there(path: string): string {
    return pathAfterRename(path, this.#plan.from, this.#plan.to);
  }

  #back(path: string): string {
    return pathAfterRename(path, this.#plan.to, this.#plan.from);
  }
}

/** Whether it was no answer at all. */
function isSilence(error: unknown): error is Refusal {
  return isRefusal(error, 'timeout', 'unavailable') && error.status === undefined;
}
