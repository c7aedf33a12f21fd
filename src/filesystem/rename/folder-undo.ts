/**
 * How is all as it was when the rename of a folder fails? What was moved is moved back, and stays whole where it is when it cannot be.
 *
 * Where only the service is away, the rest goes back later (`again`).
 */
import { atOnce } from '../../base/at-once.ts';
import { describeError } from '../../base/errors.ts';
import { isRefusal, type Refusal } from '../../service/refusal.ts';
import { keyOfPath, pathAfterRename } from '../../store/keys.ts';
import type { CopyAnnouncement } from './copying.ts';
import { isPassing } from '../errno-of.ts';
import { FsError } from '../errors.ts';
import {
  carry,
  FILES_AT_ONCE,
  type FolderMoveParts,
  type FolderPlan,
  type FolderSteps,
} from './folder-steps.ts';
import { removeCopy } from './left-copy.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile } from '../open-file.ts';
import type { Version } from '../../store/version.ts';
import type { PlannedMove } from './rename-journal.ts';

interface MoveBack extends PlannedMove {
  /** Of what it is a copy, if that may still be under the old name. */
  readonly of: Version | null;
  /** The copy of it under the old name, if one may have been stored there. */
  back: Version | null;
  /** What programs were writing into it when the rename failed. */
  readonly written: OpenFile | undefined;
}

/** What is to be undone. */
interface Left {
  readonly removed: Set<string>;
  readonly carried: Set<OpenFile>;
  /** By their places among the steps of the record. */
  readonly moves: Map<number, MoveBack>;
  readonly made: Set<string>;
}

/** Of one rename, for callers who hold the claims of both paths. */
export class FolderUndo {
  readonly #mount: MountState;
  readonly #parts: FolderMoveParts;
  readonly #plan: FolderPlan;
  readonly #left: Left = { removed: new Set(), carried: new Set(), moves: new Map(), made: new Set() };
  /** Why something may go back later; null: nothing may. */
  #obstacle: unknown = null;
  /** For good. */
  #leavesFolder = false;
  #isAgain = false;
  /** Steps in which the service has answered, whatever it said. */
  #answered = 0;
  /** Why nothing is asked any more; null: the service answers, as far as is known. */
  #silence: Refusal | null = null;

  constructor(mount: MountState, parts: FolderMoveParts, plan: FolderPlan) {
    this.#mount = mount;
    this.#parts = parts;
    this.#plan = plan;
  }

  /** Whether something stands under the new name because of this rename. */
  get leavesFolder(): boolean {
    return this.#leavesFolder || this.#left.made.size > 0;
  }

  /**
   * Undoes `steps`, which `cause` ended. Never rejects: what cannot be moved back is logged, and stays whole where it is. Returns whether
   * that is all; else `again` may get further.
   */
  async run(steps: FolderSteps, cause: unknown): Promise<boolean> {
    const { from, to, record } = this.#plan;
    const fields = { from, to, cause: describeError(cause) };
    this.#mount.log.warn('the rename of a folder failed and is undone', fields);
    const moves = [...steps.moved.map((file) => ({ ...file, of: null })), ...steps.copies].map(
      ({ path, version, of }) => ({
        from: path,
        to: this.#back(path),
        version,
        of,
        back: null,
        written: this.#mount.table.dirty(path),
      }),
    );
    const isNoted = await this.#logging('the journal does not know that a rename is undone', to, () =>
      // Not the copies: the next mount does not know which of their files may still be deleted.
      record.turnBack(moves.filter(({ of }) => of === null)),
    );
    for (const path of steps.removed.toReversed()) this.#left.removed.add(path);
    for (const file of steps.carried) this.#left.carried.add(file);
    for (const [index, move] of moves.entries()) this.#left.moves.set(index, move);
    for (const path of steps.made.toSorted().toReversed()) this.#left.made.add(path);
    await this.#undo();
    // A crash would have the next mount go on with the rename itself.
    return this.#obstacle === null || !isNoted;
  }

  /** Undoes what was left. Rejects with why something is left still. */
  async again(): Promise<void> {
    this.#isAgain = true;
    this.#obstacle = null;
    this.#answered = 0;
    this.#silence = null;
    await this.#undo();
    if (this.#obstacle !== null) throw this.#obstacle as Error;
  }

  async #undo(): Promise<void> {
    const { removed, carried, moves, made } = this.#left;
    for (const path of removed) {
      const isOver = await this.#logging('a folder is missing after a rename that failed', path, () =>
        this.#makeAgain(path),
      );
      if (isOver) removed.delete(path);
    }
    for (const file of carried) {
      carried.delete(file);
      await this.#logging('a file stays where a rename that failed had moved it', file.path, () =>
        this.#ended(carry(this.#parts.moving, file, this.#back(file.path))),
      );
    }
    await atOnce([...moves.entries()], FILES_AT_ONCE, async ([index, move]) => {
      const isOver = await this.#logging(
        'a file stays where a rename that failed had moved it',
        move.from,
        () => this.#asking(() => this.#moveBack(move, index)),
      );
      if (isOver) moves.delete(index);
    });
    for (const path of made) {
      let isGone = false;
      const isOver = await this.#logging(
        'a folder stays that a rename that failed had made',
        path,
        async () => {
          await this.#unmake(path);
          isGone = true;
        },
      );
      if (isOver) made.delete(path);
      this.#leavesFolder ||= isOver && !isGone;
    }
  }

  /**
   * A `step` that asks the service; none any more once that has been away during one for as long as a request waits, or is tried. Each would wait as
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
      if (!isAway(error)) this.#answered += 1;
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

  async #moveBack(move: MoveBack, index: number): Promise<void> {
    const { from, to, version, of, back, written } = move;
    const { table, namespace, store } = this.#mount;
    const isSure = of === null && !this.#isAgain;
    if (!isSure && !(await this.#isStillThere(from, version, written))) return;
    // The old name was free for a while.
    const there = await namespace.confirmFile(
      to,
      [back, of].filter((copy) => copy !== null),
    );
    // The only copy must not come to lie where a DELETE may still arrive.
    if (store.late.mayBeDeleted(keyOfPath(to)))
      throw new FsError('EIO', to, 'what is stored there may still be deleted');
    const isThere = (copy: Version | null): boolean =>
      there?.kind === 'file' && copy?.isSame(there.version) === true;
    if (isThere(back)) return this.#finish(move);
    if (isThere(of)) return removeCopy(this.#mount, from, version);
    if (of !== null) throw new FsError('ENOENT', to, 'somebody else has deleted it since');
    if (there?.kind === 'file' || (!isSure && table.dirty(to) !== undefined))
      throw new FsError('EEXIST', to, 'somebody else has stored a file there since');
    const known = namespace.known.recall(from);
    const source = table.dirty(from) ?? table.entered(from, known?.kind === 'file' ? known.version : version);
    try {
      const announce: CopyAnnouncement = async (copy, ...rest) => {
        move.back = copy;
        // A full disk shall not keep anything from going back.
        await this.#logging('the journal does not know of a copy', to, () =>
          this.#plan.record.announcement(index)(copy, ...rest),
        );
      };
      await this.#ended(this.#parts.moving.move(source, { to, target: null, announce }));
    } finally {
      await this.#parts.uploading.dropUnused(source);
    }
  }

  /** Its copy is stored under the old name already. */
  async #finish({ from, to, version, back }: MoveBack): Promise<void> {
    const { moving, uploading } = this.#parts;
    const { table } = this.#mount;
    const source = table.dirty(from) ?? table.entered(from, version);
    const isMoved = moving.finish(source, { to, copied: back ?? version, draft: null });
    try {
      if (!(await isMoved)) throw new FsError('EEXIST', to, 'a program has put another file there since');
    } finally {
      await uploading.dropUnused(source);
    }
  }

  /** False when others, or programs, have removed `path` since. Rejects when they have put something else there. */
  async #isStillThere(path: string, version: Version, written: OpenFile | undefined): Promise<boolean> {
    const { table, namespace } = this.#mount;
    const dirty = table.dirty(path);
    const there = await namespace.confirmFile(path, [version]);
    if (there?.kind !== 'file' && dirty === undefined) return false;
    const isSame = there?.kind === 'file' && version.isSame(there.version);
    if (!isSame || (dirty !== written && dirty?.wishes.basis === 'rewrite'))
      throw new FsError('EEXIST', path, 'it is another file since');
    return true;
  }

  /** What a file that goes back to its old name takes that name from is nobody's any more. */
  async #ended(moved: Promise<OpenFile | null>): Promise<void> {
    await this.#parts.moving.drafts.lost(await moved);
  }

  /** Whether `task` is done, or failed for good. */
  async #logging(message: string, path: string, task: () => Promise<void>): Promise<boolean> {
    try {
      await task();
      return true;
    } catch (error) {
      const isForLater = this.#isForLater(error);
      // Once is enough: from then on it is the undoing that is said not to be finished.
      const level = isForLater && this.#isAgain ? 'debug' : 'error';
      this.#mount.log[level](message, { key: path.slice(1), cause: describeError(error) });
      if (isForLater) this.#obstacle ??= error;
      return !isForLater;
    }
  }

  #isForLater(error: unknown): boolean {
    // The rule of a name is the same later; but a folder in which something waits to go is empty then.
    if (error instanceof FsError) return error.code === 'ENOTEMPTY' && this.#obstacle !== null;
    return isPassing(error);
  }

  #there(path: string): string {
    return pathAfterRename(path, this.#plan.from, this.#plan.to);
  }

  #back(path: string): string {
    return pathAfterRename(path, this.#plan.to, this.#plan.from);
  }
}

/** Whether the service gave no answer, or one that it always gives while it is away: all tries and their waits are behind it. */
function isAway(error: unknown): error is Refusal {
  return isRefusal(error, 'timeout', 'unavailable');
}
