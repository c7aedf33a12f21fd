/**
 * Somebody else has replaced a file while it was edited here: what becomes of the edit? It gets a name of its own beside the
 * file, and its handles go along; what is at the old name is theirs.
 *
 * Which of two edits a person wants nobody here can tell, and an error of close would leave the bytes where few look for them.
 */
import { childOf, keyOfPath, nameOf, parentOf } from '../store/keys.ts';
import { conflictName } from './conflict-name.ts';
import { contentTypeFor } from './content-type.ts';
import { FsError } from './errors.ts';
import type { FolderTimes } from './folder-times.ts';
import type { MountState } from './mount-state.ts';
import type { OpenFile } from './open-file.ts';

/** The stored version is not the one that an edit was made from. */
export class BaseReplaced extends FsError {
  /** Whether the edit is to be kept beside the other file; else its program hears of the conflict. */
  readonly keepsBoth: boolean;

  constructor(path: string, keepsBoth: boolean) {
    super('ESTALE', path, 'somebody else replaced the file while it was edited here');
    this.keepsBoth = keepsBoth;
  }
}

export class Conflicts {
  readonly #mount: MountState;
  readonly #folderTimes: FolderTimes;

  constructor(mount: MountState, folderTimes: FolderTimes) {
    this.#mount = mount;
    this.#folderTimes = folderTimes;
  }

  /**
   * Gives `file`, an edit whose base at `path` is replaced, a free name in the same folder, under which it is still to be stored.
   * Nothing happens when it needs none any more. Rejects with a refusal when nobody can tell which names are free.
   * For callers without a claim.
   */
  async moveAside(file: OpenFile, path: string): Promise<void> {
    const { claims, clock, settings } = this.#mount;
    const mark = { hostName: settings.hostName, at: new Date(clock.now()) };
    for (let number = 1, isDone = false; !isDone; number += 1) {
      const to = childOf(parentOf(path), conflictName(nameOf(path), { ...mark, number }));
      isDone = await claims.run([path, to], async () => {
        if (await this.#isTaken(to)) return false;
        // A rename, an unlink or another close may have been first, or a program may have emptied the file.
        if (file.path === path && !file.detached && file.dirty && file.basis === 'edit')
          await this.#move(file, to);
        return true;
      });
    }
  }

  async #isTaken(path: string): Promise<boolean> {
    const { namespace, table } = this.#mount;
    if (table.dirty(path) !== undefined) return true;
    const { kind } = await namespace.lookup(path);
    if (kind === 'file' || kind === 'folder') return true;
    // That it is free may have been told a while ago, and another mount of this machine gives its edits the same names.
    return (await namespace.confirmFile(path))?.kind === 'file';
  }

  async #move(file: OpenFile, to: string): Promise<void> {
    const { table, log, kept } = this.#mount;
    log.warn('somebody else replaced a file while it was edited here: both are kept', {
      theirs: keyOfPath(file.path),
      ours: keyOfPath(to),
    });
    const contentType = contentTypeFor(file);
    table.remove(file);
    file.path = to;
    // To the service it is a new file from now on: private, and whatever was tried before belongs to the old name.
    file.version = null;
    file.isNew = true;
    file.forgetUploads();
    file.basis = 'rewrite';
    file.contentType = contentType;
    if (file.sealed?.wishes != null)
      file.sealed.wishes = { ...file.sealed.wishes, basis: 'rewrite', contentType, visibilityWish: null };
    table.add(file);
    this.#folderTimes.touch(parentOf(to));
    // Not between a close's description of the draft and its record.
    await file.gate.still(() => kept.redescribe(file));
    await kept.linkSettled(file);
  }
}
