/**
 * How is a file renamed on a service that cannot? Stored under the new key, looked at, then deleted under the old one: at no
 * moment is there less than one whole copy. Before the DELETE the old key must still hold the version that was copied.
 */
import type { Visibility } from '../service/records.ts';
import { keyOfPath, parentOf } from '../store/keys.ts';
import { currentVisibility } from '../store/replace.ts';
import type { Version } from '../store/version.ts';
import type { Copying } from './copying.ts';
import { isPassing } from './errno-of.ts';
import type { FolderTimes } from './folder-times.ts';
import type { Folders } from './folders.ts';
import { FsError } from './errors.ts';
import { existing, existingFile } from './found.ts';
import type { MountState } from './mount-state.ts';
import type { OpenFile } from './open-file.ts';
import type { Removing } from './removing.ts';
import type { Uploading } from './uploading.ts';

/** A version that we stored less than this ago is copied and deleted without another look, milliseconds. */
const JUST_STORED = 1000;
/** A file made here that recently, whose visibility nobody set, takes that of the file it replaces, milliseconds. */
const RECENTLY_MADE = 60_000;

export interface RenamingParts {
  readonly copying: Copying;
  readonly uploading: Uploading;
  readonly removing: Removing;
  readonly folders: Folders;
  readonly folderTimes: FolderTimes;
}

/** Rejects with an `FsError`, with a refusal, or with the local disk's error; one whole copy is left then. */
export class Renaming {
  readonly #mount: MountState;
  readonly #parts: RenamingParts;

  constructor(mount: MountState, parts: RenamingParts) {
    this.#mount = mount;
    this.#parts = parts;
  }

  async rename(from: string, to: string, noReplace: boolean): Promise<void> {
    if (from === to) {
      await this.#source(from);
      if (noReplace) throw new FsError('EEXIST', to, 'the name is taken');
      return;
    }
    if (to.startsWith(`${from}/`)) throw new FsError('EINVAL', to, 'a folder cannot be moved into itself');
    await this.#mount.claims.run([from, to], async () => {
      const source = await this.#source(from);
      let target: OpenFile | null = null;
      try {
        target = await this.#target(to);
        if (target !== null && noReplace) throw new FsError('EEXIST', to, 'the name is taken');
        if (source.version === null && !source.endUnknown) await this.#moveDraft(source, target, to);
        else await this.#moveStored(source, target, to);
      } finally {
        await this.#parts.uploading.dropUnused(source);
        if (target !== null) await this.#parts.uploading.dropUnused(target);
      }
      this.#parts.folderTimes.touch(parentOf(from));
      this.#parts.folderTimes.touch(parentOf(to));
      this.#parts.folders.watchEmptied();
    });
  }

  async #source(path: string): Promise<OpenFile> {
    const dirty = this.#mount.table.dirty(path);
    if (dirty !== undefined) return dirty;
    const found = existing(path, await this.#mount.namespace.lookup(path));
    // EXDEV makes mv(1) copy and delete, which works.
    if (found.kind === 'folder') throw new FsError('EXDEV', path, 'folders are not renamed yet');
    // Whoever opens it meanwhile shall go along to the new name.
    return this.#mount.table.entered(path, found.version);
  }

  /** The file that is to be replaced, if any. */
  async #target(path: string): Promise<OpenFile | null> {
    const dirty = this.#mount.table.dirty(path);
    if (dirty !== undefined) return dirty;
    const found = await this.#mount.namespace.lookup(path);
    if (found.kind === 'missing') {
      const parent = await this.#mount.namespace.lookup(parentOf(path));
      if (parent.kind === 'missing') throw new FsError('ENOENT', path, 'its folder does not exist');
      return null;
    }
    // Whoever opens it meanwhile shall be told apart from who opens what replaces it.
    return this.#mount.table.entered(path, existingFile(path, found).version);
  }

  /** Nothing of the source is on the service: only its name changes, and its bytes go to the new key at the next close. */
  async #moveDraft(source: OpenFile, target: OpenFile | null, to: string): Promise<void> {
    if (target !== null) {
      await this.#parts.removing.keepForReaders(target);
      this.#mount.table.detach(target);
    }
    this.#moveInTable(source, to);
    // What the new key holds is what the upload will replace, visibility included.
    source.version = target?.version ?? null;
    source.unconfirmed = target?.unconfirmed ?? [];
    source.visibilityBefore = target?.visibilityBefore ?? null;
    source.basis = 'rewrite';
    source.written = true;
    source.failure = null;
    // Its last handle is gone already (an upload that failed): nobody else will send it.
    if (source.handles.size === 0) await this.#sendOrphan(source);
  }

  /** The name has changed already, so only bytes that will never be stored under it are worth an error. */
  async #sendOrphan(source: OpenFile): Promise<void> {
    try {
      await this.#parts.uploading.storeClaimed(source);
    } catch (error) {
      if (isPassing(error)) return;
      await this.#parts.uploading.giveUp(source);
      throw error;
    }
  }

  async #moveStored(source: OpenFile, target: OpenFile | null, to: string): Promise<void> {
    const wish = await this.#visibilityFor(source, target);
    if (target !== null) await this.#parts.removing.keepForReaders(target);
    // Writers wait: what they wrote between the copy and the DELETE would be in neither.
    await source.gate.still(() => this.#copyAndDelete(source, target, to, wish));
  }

  async #copyAndDelete(
    source: OpenFile,
    target: OpenFile | null,
    to: string,
    wish: Visibility,
  ): Promise<void> {
    const from = source.path;
    const { namespace, table } = this.#mount;
    const { copying } = this.#parts;
    const justStored = this.#isJustStored(source);
    const copied = await copying.copy(source, to, { visibility: wish, target });
    if (target !== null) table.detach(target);
    namespace.known.changed(to, { kind: 'file', version: copied });
    copied.local = { ...source.version?.local, ...(source.dirty ? source.local : {}) };
    copied.madeHereAt = source.version?.madeHereAt ?? null;
    table.arrive(to, copied, source);
    try {
      if (!justStored) await copying.confirm(to, copied);
      await this.#deleteOld(source, copied, { justStored, undoAt: target === null ? to : null });
      this.#takeVersion(source, copied);
      this.#moveInTable(source, to);
      namespace.known.changed(from, { kind: 'missing' });
    } finally {
      table.arrived(to);
    }
  }

  /** Also of a rename that fails there is one whole copy left; under `undoAt`, where nothing was, there is none then. */
  async #deleteOld(
    source: OpenFile,
    copied: Version,
    { justStored, undoAt }: { readonly justStored: boolean; readonly undoAt: string | null },
  ): Promise<void> {
    try {
      await this.#parts.copying.deleteOld(source, justStored);
    } catch (error) {
      if (undoAt !== null) await this.#parts.copying.undo(undoAt, copied, error);
      throw error;
    }
  }

  #takeVersion(source: OpenFile, copied: Version): void {
    source.take(copied);
    source.dirty = false;
    source.failure = null;
    source.unconfirmed = [];
    source.visibilityBefore = null;
    source.publishPending = false;
    source.basis = 'edit';
    source.contentType = null;
    source.visibilityWish = null;
  }

  async #visibilityFor(source: OpenFile, target: OpenFile | null): Promise<Visibility> {
    const { settings, clock } = this.#mount;
    if (settings.visibility !== 'preserve') return settings.visibility;
    if (source.visibilityWish !== null) return source.visibilityWish;
    const made = source.version?.madeHereAt ?? null;
    const takesTargets = target?.version != null && made !== null && clock.monotonic() - made < RECENTLY_MADE;
    const carrier = takesTargets ? target : source;
    return this.#visibilityOf(carrier);
  }

  async #visibilityOf(file: OpenFile): Promise<Visibility> {
    const { namespace, store, clock } = this.#mount;
    if (file.publishPending) return 'public';
    if (file.visibilityBefore !== null) return file.visibilityBefore;
    const known = file.version?.visibility;
    if (known !== undefined && namespace.known.isFresh(known.at)) return known.value;
    const at = clock.monotonic();
    const value = await currentVisibility(store, keyOfPath(file.path));
    if (file.version !== null) file.version.visibility = { value, at };
    return value;
  }

  /** Whether the service took the source's version from us a moment ago: then nobody need look at it again. */
  #isJustStored(source: OpenFile): boolean {
    const entry = this.#mount.namespace.known.recall(source.path);
    if (source.dirty || entry?.kind !== 'file' || entry.version !== source.version) return false;
    return entry.version.own !== null && this.#mount.clock.monotonic() - entry.confirmedAt < JUST_STORED;
  }

  #moveInTable(source: OpenFile, to: string): void {
    this.#mount.table.remove(source);
    source.path = to;
    if (source.handles.size > 0 || source.dirty) this.#mount.table.add(source);
  }
}
