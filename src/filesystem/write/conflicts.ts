/**
 * Somebody else has replaced a file while it was edited here: what becomes of the edit? It gets a name of its own beside the
 * file, and its handles go along; what is at the old name is theirs.
 *
 * Which of two edits a person wants nobody here can tell, and an error of close would leave the bytes where few look for them.
 */
import type { Visibility } from '../../service/records.ts';
import { childOf, keyOfPath, nameOf, parentOf } from '../../store/keys.ts';
import { conflictName } from './conflict-name.ts';
import { contentTypeFor } from '../attributes/content-type.ts';
import { FsError } from '../errors.ts';
import type { Draft } from '../../content/draft.ts';
import type { FolderTimes } from '../names/folder-times.ts';
import type { MountState } from '../mount-state.ts';
import { OpenFile, type Wishes } from '../open-file.ts';

/** What a draft held at one moment. */
export interface Edited {
  readonly draft: Draft;
  readonly revision: number;
}

/** The stored version is not the one that an edit was made from. */
export class BaseReplaced extends FsError {
  /** The draft that holds the edit, as long as nobody writes to it. */
  readonly edited: Edited;
  /** Whether the edit is to be kept beside the other file; else its program hears of the conflict. */
  readonly keepsBoth: boolean;

  constructor(path: string, edited: Edited, keepsBoth: boolean) {
    super('ESTALE', path, 'somebody else replaced the file while it was edited here');
    this.edited = edited;
    this.keepsBoth = keepsBoth;
  }
}

/** Whether `draft` only sets the type of `file`: there are no bytes to keep beside somebody else's, and its program must hear that it was not set. */
export async function isTypeAlone(file: OpenFile, draft: Draft): Promise<boolean> {
  const { contentType } = file.wishesOf(draft);
  return contentType !== null && file.version !== null && file.version.md5 === (await draft.md5());
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
   * Nothing happens when it needs none any more, or when `lastWord` is false, which is asked for once nobody else changes the path, and may make
   * an edit of what is none. When a program is writing it anew from empty, only the edit that a close has promised goes there: returns the file
   * that it is from now on, else null. Rejects with a refusal when nobody can tell which names are free. For callers without a claim.
   */
  async moveAside(
    file: OpenFile,
    path: string,
    lastWord: () => boolean = () => true,
  ): Promise<OpenFile | null> {
    const { claims, clock, settings } = this.#mount;
    const draft = (file.sealed?.draft ?? file.draft)?.id ?? '';
    const mark = { hostName: settings.hostName, at: new Date(clock.now()), draft };
    let promised: OpenFile | null = null;
    for (let number = 1, isDone = false; !isDone; number += 1) {
      const to = childOf(parentOf(path), conflictName(nameOf(path), { ...mark, number }));
      isDone = await claims.run([path, to], async () => {
        if (await this.#isTaken(to)) return false;
        // A rename, an unlink or another close may have been first, or a program may have emptied the file.
        if (file.path !== path || file.detached || !file.dirty || !lastWord()) return true;
        if (file.wishes.basis === 'edit') await this.#move(file, to);
        // Not while a close promises what has been written since in its place.
        else promised = await file.gate.still(() => this.#movePromised(file, to));
        return true;
      });
    }
    return promised;
  }

  async #isTaken(path: string): Promise<boolean> {
    const { namespace, table } = this.#mount;
    if (table.dirty(path) !== undefined) return true;
    const { kind } = await namespace.lookup(path);
    if (kind === 'file' || kind === 'folder') return true;
    // That it is free may have been told a while ago.
    return (await namespace.confirmFile(path))?.kind === 'file';
  }

  /** What is written anew stays at its name, which it is meant to replace. */
  async #movePromised(file: OpenFile, to: string): Promise<OpenFile | null> {
    const { table, kept } = this.#mount;
    if (file.sealed?.wishes.basis !== 'edit') return null;
    const { draft } = file.sealed;
    this.#tell(file.path, to);
    const promised = new OpenFile(to, null);
    promised.draft = draft;
    promised.dirty = true;
    promised.written = true;
    promised.wishes.contentType = contentTypeFor(file, file.wishesOf(draft));
    promised.wishes.local = file.wishesOf(draft).local;
    promised.wishes.visibility = atMost(file.wishesOf(draft).visibility);
    promised.seal(draft);
    file.sealed = null;
    file.failure = null;
    table.add(promised);
    this.#folderTimes.touch(parentOf(to));
    await kept.redescribe(promised);
    return promised;
  }

  #tell(theirs: string, ours: string): void {
    this.#mount.log.warn('somebody else replaced a file while it was edited here: both are kept', {
      theirs: keyOfPath(theirs),
      ours: keyOfPath(ours),
    });
  }

  async #move(file: OpenFile, to: string): Promise<void> {
    const { table, kept } = this.#mount;
    this.#tell(file.path, to);
    const contentType = contentTypeFor(file);
    table.remove(file);
    file.path = to;
    // To the service it is a new file from now on: private, and whatever was tried before belongs to the old name.
    file.version = null;
    file.isNew = true;
    const wished = [...file.allWishes].map((wishes) => ({ wishes, visibility: atMost(wishes.visibility) }));
    file.forgetUploads();
    for (const { wishes, visibility } of wished)
      Object.assign(wishes, { basis: 'rewrite', contentType, visibility } satisfies Partial<Wishes>);
    table.add(file);
    this.#folderTimes.touch(parentOf(to));
    // Not between a close's description of the draft and its record.
    await file.gate.still(() => kept.redescribe(file));
    await kept.linkSettled(file);
  }
}

/** Who wanted the file to be public did not mean a copy beside somebody else's; who wanted it private does, whatever the setting. */
function atMost(wish: Visibility | null): Visibility | null {
  return wish === 'private' ? wish : null;
}
