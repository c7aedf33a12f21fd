/**
 * How is a folder renamed on a service that can only store and delete files?
 *
 * Its folders are made under the new name, its files moved one by one (moving.ts), eight at a time, and the old folders removed
 * at the end. What is still here and not on the service moves last, and for free. An error moves back what was moved
 * (folder-undo.ts); only a crash is rolled forward, at the next mount. resuming.ts goes on with what is left of either.
 */
import { atOnce } from '../../base/at-once.ts';
import { describeError } from '../../base/errors.ts';
import { pathAfterRename } from '../../store/keys.ts';
import type { CopyAnnouncement } from './copying.ts';
import {
  carry,
  FILES_AT_ONCE,
  heldAlone,
  removeFolders,
  type FolderMoveParts,
  type FolderPlan,
  type FolderSteps,
} from './folder-steps.ts';
import { heldBelow, levelsOf, treeToRename } from './folder-tree.ts';
import { FolderUndo } from './folder-undo.ts';
import { attributesSince } from '../attributes/attributes-since.ts';
import { FsError } from '../errors.ts';
import { removeLeftCopy } from './left-copy.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile } from '../open-file.ts';
import type { LocalAttributes, Version } from '../../store/version.ts';
import type { PlannedMove, RenameJournal } from './rename-journal.ts';
import type { Resuming } from './resuming.ts';
import type { Deletions } from '../write-back/deletions.ts';

export interface FolderMovingParts extends FolderMoveParts {
  readonly journal: RenameJournal;
  readonly deletions: Deletions;
  readonly resuming: Resuming;
}

/** Moves folders, for callers who hold the claims of both paths, and so of all below. */
export class FolderMoving {
  readonly #mount: MountState;
  readonly #parts: FolderMovingParts;

  constructor(mount: MountState, parts: FolderMovingParts) {
    this.#mount = mount;
    this.#parts = parts;
  }

  /**
   * `isReplaced`: an empty folder is at `to`; else the name is free. Rejects with EXDEV when there are too many files, with EPERM
   * when there are keys that no path shows, or with what went wrong: then all is as it was, and what could not be moved back
   * stands in the log.
   */
  async move(from: string, to: string, isReplaced: boolean): Promise<void> {
    const { folders, journal } = this.#parts;
    if (folders.areForEver) throw new FsError('EXDEV', from, 'this service does not remove folders');
    // Nobody wants it under the old name, where it would keep the folder, nor under the new one.
    for (const file of heldBelow(this.#mount, from))
      await removeLeftCopy(this.#mount, this.#parts.deletions, file);
    // What unlink has promised to delete is not to be moved, and would be found in the old folder at the end.
    await this.#parts.deletions.finishClaimed(from);
    await this.#parts.deletions.finishClaimed(to);
    const tree = await treeToRename(this.#mount, from, this.#mount.settings.renameLimit);
    const moves = tree.files.map(({ path, version }) => ({
      from: path,
      to: pathAfterRename(path, from, to),
      version,
    }));
    const record = await journal.ofFolder(from, to, moves);
    await new FolderMove(this.#mount, this.#parts, { from, to, isReplaced, tree, record }).run(moves);
  }
}

class FolderMove {
  readonly #mount: MountState;
  readonly #parts: FolderMovingParts;
  readonly #plan: FolderPlan;
  readonly #steps: FolderSteps = { made: [], moved: [], copies: [], carried: [], removed: [] };
  /** What has lost a new name, which was free: programs have it open though somebody else deleted it. */
  readonly #lost: OpenFile[] = [];
  /** The attributes of the folders, by their old names, when the new ones were given them. */
  readonly #copied = new Map<string, LocalAttributes>();
  /** Those of the empty folder that is replaced. */
  #replaced: LocalAttributes | null = null;

  constructor(mount: MountState, parts: FolderMovingParts, plan: FolderPlan) {
    this.#mount = mount;
    this.#parts = parts;
    this.#plan = plan;
  }

  async run(moves: readonly PlannedMove[]): Promise<void> {
    const { tree, record } = this.#plan;
    const { carried, removed } = this.#steps;
    try {
      await this.#makeFolders();
      await atOnce([...moves.entries()], FILES_AT_ONCE, ([index, move]) => this.#moveFile(move, index));
      await this.#carryHeld();
      this.#takeAttributes();
      await removeFolders(this.#mount, this.#parts.folders, tree.folders, removed);
    } catch (error) {
      const undo = new FolderUndo(this.#mount, this.#parts, this.#plan);
      const isUndone = await undo.run(this.#steps, error);
      this.#parts.resuming.failed(this.#plan, undo);
      if (isUndone) await record.end();
      else this.#parts.resuming.later(record, error, () => undo.again());
      this.#restoreReplaced();
      for (const file of this.#lost) await this.#parts.moving.drafts.stays(file);
      throw error;
    }
    await record.end();
    for (const file of this.#lost) await this.#parts.moving.drafts.lost(file);
    await atOnce(carried, FILES_AT_ONCE, (file) => this.#sendOrphan(file));
  }

  async #makeFolders(): Promise<void> {
    const { from, to, tree, isReplaced } = this.#plan;
    const { folders } = this.#parts;
    if (isReplaced) this.#replaced = this.#parts.folderTimes.of(to);
    const isThere = isReplaced && this.#mount.namespace.known.kept.get(to) === undefined;
    for (const level of levelsOf(tree.folders)) {
      await atOnce(level, FILES_AT_ONCE, async (path) => {
        if (path === from && isThere) return;
        const made = this.#there(path);
        if (path !== from || !isReplaced) this.#steps.made.push(made);
        await folders.create(made);
      });
    }
    const { folderTimes } = this.#parts;
    for (const path of tree.folders) {
      folderTimes.copy(path, this.#there(path));
      this.#copied.set(path, folderTimes.of(path));
    }
  }

  #restoreReplaced(): void {
    if (this.#replaced === null) return;
    const { folderTimes } = this.#parts;
    folderTimes.forget(this.#plan.to);
    folderTimes.set(this.#plan.to, this.#replaced);
  }

  /** What programs have set meanwhile under the old names; what they have set under the new ones stays. */
  #takeAttributes(): void {
    const { folderTimes } = this.#parts;
    for (const [path, before] of this.#copied) {
      const since = attributesSince(before, folderTimes.of(path));
      if (since !== null) folderTimes.set(this.#there(path), since);
    }
  }

  async #moveFile({ from, to, version }: PlannedMove, index: number): Promise<void> {
    await this.#mount.ownNames.settle(from);
    const known = this.#mount.namespace.known.recall(from);
    // Somebody else has deleted it since the listing.
    if (known?.kind === 'missing') return;
    const { table } = this.#mount;
    const source = table.dirty(from) ?? table.entered(from, known?.kind === 'file' ? known.version : version);
    if (source.isUnsent) return;
    this.#refuseWritten(to);
    const copies: Version[] = [];
    try {
      const announce: CopyAnnouncement = async (copy, ...rest) => {
        copies.push(copy);
        await this.#plan.record.announcement(index)(copy, ...rest);
      };
      const lost = await this.#parts.moving.move(source, { to, target: null, announce });
      if (lost !== null) this.#lost.push(lost);
      this.#steps.moved.push({ path: to, version: source.version ?? version });
    } catch (error) {
      const of = source.version ?? version;
      for (const copy of copies) this.#steps.copies.push({ path: to, version: copy, of });
      throw error;
    } finally {
      await this.#parts.uploading.dropUnused(source);
    }
  }

  /** Rejects when a program has written to what is open under the new name `path`: then that is not free any more. */
  #refuseWritten(path: string): void {
    if (this.#mount.table.dirty(path) !== undefined)
      throw new FsError('ENOTEMPTY', path, 'a program has written a file there');
  }

  /** What below the old name is not on the service goes along for free: drafts, and what is only open since somebody else deleted it. */
  async #carryHeld(): Promise<void> {
    for (const file of heldAlone(this.#mount, this.#plan.from)) {
      const to = this.#there(file.path);
      this.#refuseWritten(to);
      const lost = await carry(this.#parts.moving, file, to);
      if (lost !== null) this.#lost.push(lost);
      this.#steps.carried.push(file);
    }
  }

  async #sendOrphan(file: OpenFile): Promise<void> {
    try {
      await this.#parts.moving.drafts.sendOrphan(file);
      await this.#parts.uploading.dropUnused(file);
    } catch (error) {
      // The folder has its new name, and the log has what became of the bytes.
      this.#mount.log.debug('upload after a rename failed', { path: file.path, cause: describeError(error) });
    }
  }

  #there(path: string): string {
    return pathAfterRename(path, this.#plan.from, this.#plan.to);
  }
}
