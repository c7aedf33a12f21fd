/**
 * Which new files stay here, since nobody but the program that made them wants them? Those under scratch names
 * (scratch-names.ts): most are gone before anybody could look, and others are renamed when they are whole. On the shelf a file
 * is like any other to programs here; the service does not hear of it.
 */
import { describeError } from '../../base/errors.ts';
import { nameOf } from '../../store/keys.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile } from '../open-file.ts';
import { isRenamedWhenWhole, scratchKind, START_SIZE } from './scratch-names.ts';
import type { ShelfRecords } from './shelf-records.ts';

/** One of those that is neither renamed nor removed this long after its last close is a file like any other, milliseconds. */
const RENAME_PATIENCE = 30_000;

export class Shelf {
  readonly #mount: MountState;
  readonly #records: ShelfRecords;
  /** Those to be renamed that nobody has open, with what ends the wait. */
  readonly #waiting = new Map<OpenFile, () => void>();

  constructor(mount: MountState, records: ShelfRecords) {
    this.#mount = mount;
    this.#records = records;
  }

  /** Shows what the mount before left here. With scratch=off those are files like any other, which the caller is to store. */
  async restore(): Promise<OpenFile[]> {
    const files = await this.#records.show();
    if (!this.#mount.settings.scratch) for (const file of files) file.shelf = null;
    return files;
  }

  /** Resolves when the next mount on this machine will find `file` here. Rejects with the local disk's error. */
  async record(file: OpenFile): Promise<void> {
    if (file.shelf !== null) await this.#records.keep(file);
  }

  /** `file`, which was or is on the shelf, has another name now. */
  async moved(file: OpenFile): Promise<void> {
    // The wait would keep the file, which may be one of thousands, until it ends.
    if (file.shelf === null) this.#waitNoMore(file);
    try {
      await this.#records.moved(file);
    } catch (error) {
      this.#mount.log.error('a crash may bring a scratch file back under its old name', {
        path: file.path,
        cause: describeError(error),
      });
    }
  }

  /** What the upload of `file` shall do, should it have one, has changed. */
  async redescribed(file: OpenFile): Promise<void> {
    try {
      await this.stayingPrivate(file);
    } catch (error) {
      this.#mount.log.error('a crash may undo what was set of a scratch file', {
        path: file.path,
        cause: describeError(error),
      });
    }
  }

  /** As `redescribed`. Rejects with the local disk's error: whoever made it private must not be told so, then. */
  async stayingPrivate(file: OpenFile): Promise<void> {
    await this.#records.redescribed(file);
  }

  /** `file` is being created here, where the service has nothing. */
  admit(file: OpenFile, mode: number): void {
    if (!this.#mount.settings.scratch) return;
    const kind = scratchKind({ name: nameOf(file.path), mode, start: null });
    file.shelf = kind === null ? null : { kind, mode };
  }

  /** Whether `file` is to stay here. Once it is not, it never is again. Rejects with the local disk's error. */
  async keeps(file: OpenFile): Promise<boolean> {
    const { shelf, draft } = file;
    if (shelf === null || draft === null) return false;
    await draft.settled();
    // One that the disk has cut ends as any other does.
    if (draft.poisoned !== null) return false;
    const start = new Uint8Array(START_SIZE);
    const length = await draft.read(start, 0);
    const name = nameOf(file.path);
    const isScratch =
      scratchKind({ name, mode: shelf.mode, start: start.subarray(0, length) }) === shelf.kind;
    if (isScratch) file.closedHere = draft;
    else file.shelf = null;
    return isScratch;
  }

  /** Whether `file` is still to stay here when it, and not its folder, is renamed to `to`, in place of `target`. */
  staysAs(file: OpenFile, target: OpenFile | null, to: string): boolean {
    const { shelf } = file;
    if (shelf === null) return false;
    if (target !== null && target.version !== null) return false;
    // What a transfer is renamed to is its true name, whatever that looks like.
    if (shelf.kind === 'transfer') return false;
    return scratchKind({ name: nameOf(to), mode: shelf.mode, start: null }) === shelf.kind;
  }

  /** A handle of `file` is gone. `store` is called when its wait is over and it is a file like any other. */
  closed(file: OpenFile, store: () => void): void {
    if (!awaitsRename(file)) return;
    this.#waitNoMore(file);
    const cancel = this.#mount.clock.after(RENAME_PATIENCE, () => {
      this.#waiting.delete(file);
      if (!awaitsRename(file)) return;
      file.shelf = null;
      store();
    });
    this.#waiting.set(file, cancel);
  }

  /** The mount ends: of `files`, those that nobody will rename any more, or that a full disk has cut, are like any other. */
  clear(files: Iterable<OpenFile>): void {
    for (const cancel of this.#waiting.values()) cancel();
    this.#waiting.clear();
    for (const file of files) {
      const { shelf } = file;
      if (shelf === null) continue;
      if (isRenamedWhenWhole(shelf.kind) || file.draft?.poisoned !== null) file.shelf = null;
    }
  }

  #waitNoMore(file: OpenFile): void {
    this.#waiting.get(file)?.();
    this.#waiting.delete(file);
  }
}

function awaitsRename(file: OpenFile): boolean {
  const { shelf } = file;
  return shelf !== null && isRenamedWhenWhole(shelf.kind) && file.handles.size === 0 && !file.detached;
}
