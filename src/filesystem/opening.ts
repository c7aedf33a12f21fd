/** How does a name become a handle, and a handle end? */
import { STAYING, type Waiter } from '../base/waiter.ts';
import type { FileEntryKnown, Found } from '../namespace/entries.ts';
import { ReadStream } from '../content/read-stream.ts';
import { parentOf } from '../store/keys.ts';
import type { FolderTimes } from './names/folder-times.ts';
import { FsError } from './errors.ts';
import { existing, existingFile, requireParent } from './names/found.ts';
import { draftFactsOf } from './drafts/draft-records.ts';
import type { MountState } from './mount-state.ts';
import { Handle, OpenFile } from './open-file.ts';
import type { CreateIntent, OpenIntent } from './operations.ts';
import type { Reading } from './read/reading.ts';
import type { Shelf } from './shelf/shelf.ts';
import { localOfNew } from './attributes/shown-attributes.ts';
import type { SiblingReads } from './read/sibling-reads.ts';
import type { Uploading } from './write/uploading.ts';
import type { Writing } from './write/writing.ts';

export interface OpeningParts {
  readonly writing: Writing;
  readonly uploading: Uploading;
  readonly folderTimes: FolderTimes;
  readonly shelf: Shelf;
  readonly reading: Reading;
  readonly siblings: SiblingReads;
}

/** What had the name lost it before anybody could fetch its bytes for the handle: the name leads elsewhere by now. */
class NameLost extends Error {}

/** Rejects with an `FsError`, with the refusal of the service, or with the local disk's error. */
export class Opening {
  readonly #mount: MountState;
  readonly #writing: Writing;
  readonly #uploading: Uploading;
  readonly #folderTimes: FolderTimes;
  readonly #shelf: Shelf;
  readonly #reading: Reading;
  readonly #siblings: SiblingReads;

  constructor(mount: MountState, parts: OpeningParts) {
    this.#mount = mount;
    this.#writing = parts.writing;
    this.#uploading = parts.uploading;
    this.#folderTimes = parts.folderTimes;
    this.#shelf = parts.shelf;
    this.#reading = parts.reading;
    this.#siblings = parts.siblings;
  }

  open(path: string, intent: OpenIntent, waiter?: Waiter): Promise<Handle> {
    return untilFound(() => this.#open(path, intent, waiter));
  }

  create(path: string, intent: CreateIntent): Promise<Handle> {
    return untilFound(() => this.#create(path, intent));
  }

  async #open(path: string, intent: OpenIntent, waiter?: Waiter): Promise<Handle> {
    const draft = this.#mount.table.dirty(path);
    if (draft !== undefined) return this.#handle(draft, intent);
    if (!intent.read || intent.write || intent.truncate) return this.#openExisting(path, intent, waiter);
    const release = await this.#siblings.firstReads.confirm(path, waiter);
    try {
      const handle = await this.#openExisting(path, intent, waiter);
      this.#startReading(handle);
      return handle;
    } finally {
      release();
    }
  }

  async #openExisting(path: string, intent: OpenIntent, waiter?: Waiter): Promise<Handle> {
    const found = existingFile(
      path,
      await this.#mount.namespace.lookupToOpen(path, intent.truncate ? STAYING : waiter),
    );
    await this.#mount.ownNames.settle(path, intent.truncate ? STAYING : waiter);
    // What a program has removed while that looked would come back by a close.
    const byNow = this.#mount.namespace.known.recall(path);
    const isToldSince = byNow !== undefined && byNow.confirmedAt >= found.confirmedAt;
    if (isToldSince && this.#mount.table.dirty(path) === undefined) existingFile(path, byNow);
    if (intent.write && this.#mount.table.isArriving(path)) {
      await this.#endOfChange(path);
      return this.#open(path, intent, waiter);
    }
    // Nothing is awaited from here until the handle is counted: the file must not be let go in between.
    return this.#handle(this.#fileAt(path, found), intent);
  }

  /** What is here of the file stays for the handle; and others are likely to be opened next. */
  #startReading({ file }: Handle): void {
    if (file.version === null || file.draft !== null) return;
    this.#reading.readerOf(file, file.version);
    this.#siblings.opened(file.path);
  }

  async #create(path: string, intent: CreateIntent): Promise<Handle> {
    const draft = this.#mount.table.dirty(path);
    if (draft !== undefined) return this.#existing(path, () => draft, intent);
    const found = await this.#lookUpToCreate(path);
    if (found !== null) {
      if (this.#mount.table.isArriving(path)) {
        await this.#endOfChange(path);
        return this.#create(path, intent);
      }
      const there = existing(path, found);
      return this.#existing(path, () => this.#fileAt(path, existingFile(path, there)), intent);
    }
    const file = await this.#newFile(path, intent);
    // A rename that brings another file to the name ends first: then that is the file.
    return this.#mount.claims.run([path], () => this.#enter(file, intent));
  }

  async release(handle: Handle): Promise<void> {
    const { file } = handle;
    file.handles.delete(handle);
    if (file.handles.size === 0) {
      await this.#uploading.settle(file);
    } else if (handle.canWrite && !file.hasWriters() && file.dirty && !file.detached) {
      // Readers may stay for hours; what the last writer left (a page dirtied through mmap after its flush) goes up now.
      const isMeant = (): boolean => !file.hasWriters();
      if (file.draft !== null && !file.hasTried(file.draft)) await this.#uploading.keep(file, isMeant);
    }
  }

  /**
   * Resolves when the rename that brings a file to `path`, or what takes one from it, has ended. Readers need not wait for the rename; what
   * a writer wrote would be under the old name if it failed in the end.
   */
  async #endOfChange(path: string): Promise<void> {
    await this.#mount.claims.run([path], () => Promise.resolve());
  }

  /** Opens `file`, which is new, under its name; or what has taken the name since it was looked for. */
  async #enter(file: OpenFile, intent: CreateIntent): Promise<Handle> {
    const rival = this.#madeMeanwhile(file.path);
    if (rival !== null) {
      try {
        // Begun before our draft goes: the handle must be counted before anything is awaited.
        return await this.#existing(file.path, rival, intent);
      } finally {
        await file.draft?.remove();
      }
    }
    if (this.#isFolderGone(file.path)) {
      await file.draft?.remove();
      throw new FsError('ENOENT', file.path, 'its folder was renamed or removed meanwhile');
    }
    this.#mount.table.add(file);
    this.#folderTimes.touch(parentOf(file.path));
    return this.#handle(file, { ...intent, truncate: false }, 'made');
  }

  /** Whether we have renamed or removed a folder above `path` since it was looked at. */
  #isFolderGone(path: string): boolean {
    const { known } = this.#mount.namespace;
    for (let folder = parentOf(path); folder !== '/'; folder = parentOf(folder)) {
      const kind = known.recall(folder)?.kind;
      // A file that was left out for the folder may be shown by now.
      if (kind === 'missing' || kind === 'file') return true;
    }
    return false;
  }

  /** `fileThere` enters the file as open, which it is not for who wants it to be new. */
  #existing(path: string, fileThere: () => OpenFile, intent: CreateIntent): Promise<Handle> {
    if (intent.exclusive) throw new FsError('EEXIST', path, 'the name is taken');
    return this.#handle(fileThere(), intent);
  }

  /** What another program has created, and perhaps stored and closed, while we looked and made a draft; or a folder, which is no file to open. */
  #madeMeanwhile(path: string): (() => OpenFile) | null {
    const draft = this.#mount.table.dirty(path);
    if (draft !== undefined) return () => draft;
    const known = this.#mount.namespace.known.recall(path);
    if (known === undefined || known.kind === 'missing') return null;
    return () => this.#fileAt(path, existingFile(path, known));
  }

  /** What exists at `path`; null when it is free and its folder exists. */
  async #lookUpToCreate(path: string): Promise<Found | null> {
    const found = await this.#mount.namespace.lookup(path);
    if (found.kind !== 'missing') return found;
    await requireParent(this.#mount.namespace, path);
    return null;
  }

  /** The open file of what was found, made when nobody has it open. */
  #fileAt(path: string, found: FileEntryKnown): OpenFile {
    const open = this.#mount.table.get(path);
    if (open?.dirty === true) return open;
    // An upload of ours may have ended since the look.
    const known = this.#mount.namespace.known.recall(path);
    const version = known?.kind === 'file' ? known.version : found.version;
    const shown = this.#mount.table.shown(path, version);
    if (shown !== undefined) return shown;
    // Whoever has the file open under the version that somebody else replaced keeps it, away from the name.
    if (open !== undefined) this.#mount.table.remove(open);
    const file = new OpenFile(path, version);
    this.#mount.table.add(file);
    return file;
  }

  async #newFile(path: string, intent: CreateIntent): Promise<OpenFile> {
    const file = new OpenFile(path, null);
    const now = this.#mount.clock.now();
    this.#shelf.admit(file, intent.mode);
    file.wishes.local = localOfNew(intent, this.#mount.settings, now);
    file.draft = await this.#mount.content.createDraft(draftFactsOf(file, { createdAt: now, sealed: null }));
    file.dirty = true;
    return file;
  }

  async #handle(file: OpenFile, intent: OpenIntent, how: 'made' | 'found' = 'found'): Promise<Handle> {
    // Who comes after those that wrote it adds to what is stored, also where that is nothing and its draft is still here.
    if (intent.write && !file.hasWriters()) {
      if (file.dirty) file.isTakenUp = how === 'found';
      else file.wishes.basis = 'edit';
    }
    const stream = new ReadStream();
    stream.rests.opened(this.#mount.clock.monotonic());
    const handle = new Handle(file, intent.read, intent.write, stream);
    // Counted before anything is awaited: the file must not be let go under us.
    file.handles.add(handle);
    if (!intent.truncate) {
      // Whoever ends it has looked already for whom it is to be kept.
      if (file.isEnding) await this.#keepFor(handle);
      return handle;
    }
    try {
      await this.#writing.truncate(file, 0);
      return handle;
    } catch (error) {
      file.handles.delete(handle);
      if (file.handles.size === 0) await this.#uploading.settle(file);
      throw error;
    }
  }

  /** Keeps the bytes of a file that is ending for `handle`. Rejects with `NameLost` when it has ended, and they were gone before. */
  async #keepFor(handle: Handle): Promise<void> {
    const { file } = handle;
    if (!(await this.#writing.keepForReaders(file))) await this.#endOfChange(file.path);
    if (!file.detached || file.draft !== null) return;
    await this.release(handle);
    throw new NameLost(file.path);
  }
}

/** `open`, and again when what it found has lost its name meanwhile. */
async function untilFound(open: () => Promise<Handle>): Promise<Handle> {
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof NameLost)) throw error;
    }
  }
}
