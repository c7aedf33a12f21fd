/** May this be renamed to that, and what is it: a file or a folder? */
import { parentOf } from '../../store/keys.ts';
import { claimedSoon } from '../write/claimed-soon.ts';
import type { FolderMoving } from './folder-moving.ts';
import type { FolderTimes } from '../names/folder-times.ts';
import { heldBelow } from './folder-tree.ts';
import type { Folders } from '../names/folders.ts';
import { FsError } from '../errors.ts';
import { existing, existingFile, requireParent } from '../names/found.ts';
import type { MountState } from '../mount-state.ts';
import type { Moving } from './moving.ts';
import type { OpenFile } from '../open-file.ts';
import type { RenameJournal } from './rename-journal.ts';
import type { Resuming } from './resuming.ts';
import type { Uploading } from '../write/uploading.ts';

export interface RenamingParts {
  readonly moving: Moving;
  readonly folderMoving: FolderMoving;
  readonly journal: RenameJournal;
  readonly resuming: Resuming;
  readonly uploading: Uploading;
  readonly folders: Folders;
  readonly folderTimes: FolderTimes;
}

/** What is at the old name: a file, or null for a folder. */
type Source = OpenFile | null;

/** Rejects with an `FsError`, with a refusal, or with the local disk's error; one whole copy of each file is left then. */
export class Renaming {
  readonly #mount: MountState;
  readonly #parts: RenamingParts;

  constructor(mount: MountState, parts: RenamingParts) {
    this.#mount = mount;
    this.#parts = parts;
  }

  async rename(from: string, to: string, noReplace: boolean): Promise<void> {
    if (from === '/' || to === '/') throw new FsError('EBUSY', '/', 'it is the mountpoint');
    if (from === to) {
      await this.#source(from);
      if (noReplace) throw new FsError('EEXIST', to, 'the name is taken');
      return;
    }
    if (to.startsWith(`${from}/`)) throw new FsError('EINVAL', to, 'a folder cannot be moved into itself');
    const { resuming } = this.#parts;
    const cut = resuming.around([from, to]);
    // Nothing may come between a rename and its claims where there is none.
    if (cut.length > 0) await this.#finishCut(from, cut);
    if (resuming.wouldMoveIntoRest(from, to))
      throw new FsError('EIO', to, 'what is there is left of a rename of the same folder, which has failed');
    await claimedSoon(this.#mount, [from, to], async () => {
      const source = await this.#source(from);
      try {
        if (source === null) await this.#renameFolder(from, to, noReplace);
        else await this.#renameFile(source, to, noReplace);
      } finally {
        // Also one that failed may have emptied a folder.
        this.#parts.folders.watchEmptied();
      }
      this.#parts.folderTimes.touch(parentOf(from));
      this.#parts.folderTimes.touch(parentOf(to));
    });
  }

  /** What is left of earlier renames comes first, where this one is of a folder. */
  async #finishCut(from: string, cut: readonly string[]): Promise<void> {
    const { namespace, table } = this.#mount;
    if (table.dirty(from) !== undefined) return;
    if ((await namespace.lookup(from)).kind === 'folder') await this.#parts.resuming.finishNow(cut);
  }

  async #renameFile(source: OpenFile, to: string, noReplace: boolean): Promise<void> {
    const { moving, uploading, journal } = this.#parts;
    let target: OpenFile | null = null;
    try {
      target = await this.#target(to);
      if (target !== null && noReplace) throw new FsError('EEXIST', to, 'the name is taken');
      if (target !== null) target.isEnding = true;
      const record = journal.ofFile(source, to, target);
      const { announce } = record;
      const lost = await moving.move(source, { to, target, announce }).finally(() => record.end());
      await moving.drafts.lost(lost);
      await moving.drafts.sendOrphan(source);
    } finally {
      if (target !== null) target.isEnding = false;
      await uploading.dropUnused(source);
      if (target?.detached === true) await this.#mount.kept.detached(target);
      if (target !== null) await uploading.dropUnused(target);
    }
  }

  async #renameFolder(from: string, to: string, noReplace: boolean): Promise<void> {
    const isReplaced = await this.#isEmptyFolder(to, noReplace);
    await this.#parts.folderMoving.move(from, to, isReplaced);
  }

  async #source(path: string): Promise<Source> {
    const dirty = this.#mount.table.dirty(path);
    if (dirty !== undefined) return dirty;
    const found = existing(path, await this.#mount.namespace.lookup(path));
    if (found.kind === 'folder') return null;
    await this.#mount.ownNames.settle(path);
    // Whoever opens it meanwhile shall go along to the new name.
    return this.#mount.table.dirty(path) ?? this.#mount.table.entered(path, found.version);
  }

  /** The file that is to be replaced by a file, if any. */
  async #target(path: string): Promise<OpenFile | null> {
    const dirty = this.#mount.table.dirty(path);
    if (dirty !== undefined) return dirty;
    const found = await this.#mount.namespace.lookup(path);
    if (found.kind === 'missing') await requireParent(this.#mount.namespace, path);
    // A program may have closed there meanwhile what others had deleted, or replaced.
    const written = this.#mount.table.dirty(path);
    if (written !== undefined || found.kind === 'missing') return written ?? null;
    if (found.kind === 'file') await this.#mount.ownNames.settle(path);
    // Whoever opens it meanwhile shall be told apart from who opens what replaces it.
    return this.#mount.table.entered(path, existingFile(path, found).version);
  }

  /** Whether a folder is at `path`, and may be replaced by a folder; false when the name is free. */
  async #isEmptyFolder(path: string, noReplace: boolean): Promise<boolean> {
    const { namespace, table } = this.#mount;
    const isDraft = table.dirty(path) !== undefined;
    const found = isDraft ? ({ kind: 'file' } as const) : await namespace.lookup(path);
    // Also of a folder that somebody else has removed: what waits in it must not be taken for replaced.
    const holdsDrafts = (): boolean => heldBelow(this.#mount, path).some((file) => file.dirty);
    if (found.kind === 'missing') {
      await requireParent(namespace, path);
      if (holdsDrafts()) throw new FsError('ENOTEMPTY', path, 'files in it wait to be stored');
      return false;
    }
    if (found.kind === 'under-file') throw new FsError('ENOTDIR', path, 'a component of the path is a file');
    if (noReplace) throw new FsError('EEXIST', path, 'the name is taken');
    if (found.kind === 'file') throw new FsError('ENOTDIR', path, 'it is a file');
    // What others have put into it since the last look must not be taken for gone.
    const folder = await namespace.relist(path);
    const isEmpty = folder.names.visible === 0 && folder.hidden === 0;
    if (!isEmpty || holdsDrafts()) throw new FsError('ENOTEMPTY', path, 'it has entries');
    return true;
  }
}
