/**
 * How is a folder renamed on a service that can only store and delete files?
 *
 * Its folders are made under the new name, its files moved one by one (moving.ts), eight at a time, and the old folders removed
 * at the end. What is still here and not on the service moves last, and for free. An error moves back what was moved; only a
 * crash is rolled forward, at the next mount (resuming.ts).
 */
import { atOnce } from '../base/at-once.ts';
import { describeError } from '../base/errors.ts';
import type { CopyAnnouncement } from './copying.ts';
import type { FolderTimes } from './folder-times.ts';
import { heldBelow, levelsOf, treeToRename, type FolderTree, type StoredFile } from './folder-tree.ts';
import type { Folders } from './folders.ts';
import { FsError } from './errors.ts';
import type { MountState } from './mount-state.ts';
import type { Moving } from './moving.ts';
import type { OpenFile } from './open-file.ts';
import type { FolderRecord, PlannedMove, RenameJournal } from './rename-journal.ts';
import type { Uploading } from './uploading.ts';
import type { Deletions } from './write-back/deletions.ts';

export const FILES_AT_ONCE = 8;
/** What rmdir says when others have put something into the folder, or removed it. */
const SOMEBODY_ELSES: ReadonlySet<string> = new Set(['ENOTEMPTY', 'ENOENT']);

export interface FolderMovingParts {
  readonly moving: Moving;
  readonly journal: RenameJournal;
  readonly uploading: Uploading;
  readonly folders: Folders;
  readonly folderTimes: FolderTimes;
  readonly deletions: Deletions;
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
    // What unlink has promised to delete is not to be moved, and would be found in the old folder at the end.
    await this.#parts.deletions.finishClaimed(from);
    await this.#parts.deletions.finishClaimed(to);
    const tree = await treeToRename(this.#mount, from, this.#mount.settings.renameLimit);
    const moves = tree.files.map(({ path, version }) => ({
      from: path,
      to: to + path.slice(from.length),
      version,
    }));
    const record = await journal.ofFolder(from, to, moves);
    const ways = { from, to, isReplaced, tree, record };
    await new FolderMove(this.#mount, this.#parts, ways).run(moves);
  }
}

interface Ways {
  readonly from: string;
  readonly to: string;
  readonly isReplaced: boolean;
  readonly tree: FolderTree;
  readonly record: FolderRecord;
}

/** One rename: what it has done so far is what it undoes. */
class FolderMove {
  readonly #mount: MountState;
  readonly #parts: FolderMovingParts;
  readonly #ways: Ways;
  /** Folders under the new name that are there because of us, or may be. */
  readonly #made: string[] = [];
  readonly #moved: StoredFile[] = [];
  readonly #carried: OpenFile[] = [];
  /** Folders under the old name that are gone, or may be. */
  readonly #removed: string[] = [];

  constructor(mount: MountState, parts: FolderMovingParts, ways: Ways) {
    this.#mount = mount;
    this.#parts = parts;
    this.#ways = ways;
  }

  async run(moves: readonly PlannedMove[]): Promise<void> {
    const { record } = this.#ways;
    try {
      await this.#makeFolders();
      await atOnce([...moves.entries()], FILES_AT_ONCE, ([index, move]) => this.#moveFile(move, index));
      this.#carried.push(...(await carryHeld(this.#mount, this.#parts.moving, this.#ways)));
      await this.#removeFolders();
    } catch (error) {
      await this.#undo(error);
      throw error;
    } finally {
      await record.end();
    }
    await atOnce(this.#carried, FILES_AT_ONCE, (file) => this.#sendOrphan(file));
  }

  async #makeFolders(): Promise<void> {
    const { from, to, tree, isReplaced } = this.#ways;
    const { folders, folderTimes } = this.#parts;
    const isThere = isReplaced && this.#mount.namespace.known.kept.get(to) === undefined;
    for (const level of levelsOf(tree.folders)) {
      await atOnce(level, FILES_AT_ONCE, async (path) => {
        if (path === from && isThere) return;
        const made = this.#there(path);
        if (path !== from || !isReplaced) this.#made.push(made);
        await folders.create(made);
      });
    }
    for (const path of tree.folders) folderTimes.copy(path, this.#there(path));
  }

  async #moveFile({ from, to, version }: PlannedMove, index: number): Promise<void> {
    const known = this.#mount.namespace.known.recall(from);
    // Somebody else has deleted it since the listing.
    if (known?.kind === 'missing') return;
    const { table } = this.#mount;
    const source = table.dirty(from) ?? table.entered(from, known?.kind === 'file' ? known.version : version);
    if (source.isUnsent) return;
    const stale = table.get(to);
    // Open since somebody else deleted it: the name is free.
    if (stale !== undefined) table.detach(stale);
    try {
      const announce = this.#ways.record.announcement(index);
      await this.#parts.moving.move(source, { to, target: null, announce });
      this.#moved.push({ path: to, version: source.version ?? version });
    } finally {
      await this.#parts.uploading.dropUnused(source);
    }
  }

  #removeFolders(): Promise<void> {
    return removeFolders(this.#mount, this.#parts.folders, this.#ways.tree.folders, this.#removed);
  }

  async #sendOrphan(file: OpenFile): Promise<void> {
    try {
      await this.#parts.moving.sendOrphan(file);
    } catch (error) {
      // The folder has its new name, and the log has what became of the bytes.
      this.#mount.log.debug('upload after a rename failed', { path: file.path, cause: describeError(error) });
    }
  }

  /** Never rejects: what cannot be moved back is logged, and stays whole where it is. */
  async #undo(cause: unknown): Promise<void> {
    const { from, to, record } = this.#ways;
    this.#mount.log.warn('the rename of a folder failed and is undone', {
      from,
      to,
      cause: describeError(cause),
    });
    const moves = this.#moved.map(({ path, version }) => ({ from: path, to: this.#back(path), version }));
    await this.#logging('the journal does not know that a rename is undone', to, () =>
      record.turnBack(moves),
    );
    for (const path of this.#removed.toReversed()) {
      await this.#logging('a folder is missing after a rename that failed', path, () =>
        this.#makeAgain(path),
      );
    }
    for (const file of this.#carried) await carry(this.#parts.moving, file, this.#back(file.path));
    await atOnce([...moves.entries()], FILES_AT_ONCE, ([index, move]) =>
      this.#logging('a file stays where a rename that failed had moved it', move.from, () =>
        this.#moveBack(move, index),
      ),
    );
    for (const path of this.#made.sort().toReversed()) {
      await this.#logging('a folder stays that a rename that failed had made', path, () =>
        this.#unmake(path),
      );
    }
  }

  async #makeAgain(path: string): Promise<void> {
    const { namespace } = this.#mount;
    try {
      if ((await namespace.lookup(path)).kind !== 'missing') return;
      await this.#parts.folders.create(path);
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
      await this.#parts.folders.removeClaimed(path);
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
          this.#ways.record.announcement(index)(...copy),
        );
      await this.#parts.moving.move(source, { to, target: null, announce });
    } finally {
      await this.#parts.uploading.dropUnused(source);
    }
  }

  async #logging(message: string, path: string, task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      this.#mount.log.error(message, { key: path.slice(1), cause: describeError(error) });
    }
  }

  #there(path: string): string {
    return this.#ways.to + path.slice(this.#ways.from.length);
  }

  #back(path: string): string {
    return this.#ways.from + path.slice(this.#ways.to.length);
  }
}

/**
 * What below `from` is not on the service goes along for free: drafts, and what is only open since somebody else deleted it.
 * Returns it.
 */
export async function carryHeld(
  mount: MountState,
  moving: Moving,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<OpenFile[]> {
  const { known } = mount.namespace;
  const held = heldBelow(mount, from).filter(
    (file) => file.isUnsent || known.recall(file.path)?.kind !== 'file',
  );
  for (const file of held) await carry(moving, file, to + file.path.slice(from.length));
  return held;
}

async function carry(moving: Moving, file: OpenFile, to: string): Promise<void> {
  if (file.isUnsent) await moving.move(file, { to, target: null, announce: () => Promise.resolve() });
  else moving.moveInTable(file, to);
}

/**
 * Removes `paths`, folders in an order as `FolderTree` has them, and enters in `gone` each that may be gone. One into which somebody
 * else has put something stays, and the log says so. Rejects as rmdir does.
 */
export async function removeFolders(
  { log, namespace }: MountState,
  folders: Folders,
  paths: readonly string[],
  gone: string[],
): Promise<void> {
  for (const path of paths.toReversed()) {
    try {
      await folders.removeClaimed(path);
      gone.push(path);
    } catch (error) {
      if (!(error instanceof FsError) || !SOMEBODY_ELSES.has(error.code)) {
        gone.push(path);
        namespace.known.doubt(path);
        throw error;
      }
      log.warn('a renamed folder stays under its old name, too', { path, cause: describeError(error) });
    }
  }
}
