/**
 * How is a file renamed on a service that cannot? Stored under the new key, looked at, then deleted under the old one: at no
 * moment is there less than one whole copy. Before the DELETE the old key must still hold the version that was copied.
 */
import { describeError } from '../base/errors.ts';
import type { Visibility } from '../service/records.ts';
import { isRefusal } from '../service/refusal.ts';
import { keyOfPath, parentOf } from '../store/keys.ts';
import { replaceObject } from '../store/replace.ts';
import type { Version } from '../store/version.ts';
import { contentTypeOf } from './content-type.ts';
import type { FolderTimes } from './folder-times.ts';
import type { Folders } from './folders.ts';
import { FsError } from './errors.ts';
import type { MountState } from './mount-state.ts';
import type { OpenFile } from './open-file.ts';
import type { Removing } from './removing.ts';
import type { Uploading } from './uploading.ts';
import type { Writing } from './writing.ts';

/** A version that we stored less than this ago is copied and deleted without another look, milliseconds. */
const JUST_STORED = 1000;
/** A file made here that recently, whose visibility nobody set, takes that of the file it replaces, milliseconds. */
const RECENTLY_MADE = 60_000;

export interface RenamingParts {
  readonly writing: Writing;
  readonly uploading: Uploading;
  readonly removing: Removing;
  readonly folders: Folders;
  readonly folderTimes: FolderTimes;
}

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
      const target = await this.#target(to);
      if (target !== null && noReplace) throw new FsError('EEXIST', to, 'the name is taken');
      if (source.version === null && !source.endUnknown) await this.#moveDraft(source, target, to);
      else await this.#moveStored(source, target, to);
      this.#parts.folderTimes.touch(parentOf(from));
      this.#parts.folderTimes.touch(parentOf(to));
      this.#parts.folders.watchEmptied();
    });
  }

  async #source(path: string): Promise<OpenFile> {
    const dirty = this.#mount.table.dirty(path);
    if (dirty !== undefined) return dirty;
    const found = await this.#mount.namespace.lookup(path);
    if (found.kind === 'under-file') throw new FsError('ENOTDIR', path, 'a component of the path is a file');
    if (found.kind === 'missing') throw new FsError('ENOENT', path, 'no such file or folder');
    // EXDEV makes mv(1) copy and delete, which works.
    if (found.kind === 'folder') throw new FsError('EXDEV', path, 'folders are not renamed yet');
    return this.#mount.table.holding(path, found.version);
  }

  /** The file that is to be replaced, if any. */
  async #target(path: string): Promise<OpenFile | null> {
    const dirty = this.#mount.table.dirty(path);
    if (dirty !== undefined) return dirty;
    const found = await this.#mount.namespace.lookup(path);
    if (found.kind === 'under-file') throw new FsError('ENOTDIR', path, 'a component of the path is a file');
    if (found.kind === 'folder') throw new FsError('EISDIR', path, 'it is a folder');
    if (found.kind === 'missing') {
      const parent = await this.#mount.namespace.lookup(parentOf(path));
      if (parent.kind === 'missing') throw new FsError('ENOENT', path, 'its folder does not exist');
      return null;
    }
    return this.#mount.table.holding(path, found.version);
  }

  /** Nothing of the source is on the service: only its name changes, and its bytes go to the new key at the next close. */
  async #moveDraft(source: OpenFile, target: OpenFile | null, to: string): Promise<void> {
    const from = source.path;
    const stored = target?.version ?? null;
    if (target !== null) {
      await this.#parts.removing.keepForReaders(target);
      await this.#parts.removing.detach(target);
    }
    this.#moveInTable(source, to);
    // What the new key holds is what the upload will replace, visibility included.
    source.version = stored;
    source.basis = 'rewrite';
    source.written = true;
    source.failure = null;
    if (this.#mount.namespace.recall(from)?.kind === 'file')
      this.#mount.namespace.changed(from, { kind: 'missing' });
    // Its last handle is gone already (an upload that failed): nobody else will send it.
    if (source.handles.size === 0) await this.#parts.uploading.storeClaimed(source);
  }

  async #moveStored(source: OpenFile, target: OpenFile | null, to: string): Promise<void> {
    const wish = await this.#visibilityFor(source, target);
    if (target !== null) await this.#parts.removing.keepForReaders(target);
    try {
      // Writers wait: what they wrote between the copy and the DELETE would be in neither.
      await source.gate.still(() => this.#copyAndDelete(source, target, to, wish));
    } finally {
      await this.#parts.uploading.dropUnused(source);
    }
  }

  async #copyAndDelete(
    source: OpenFile,
    target: OpenFile | null,
    to: string,
    wish: Visibility,
  ): Promise<void> {
    const from = source.path;
    const { namespace } = this.#mount;
    const justStored = this.#isJustStored(source);
    const copied = await this.#copy(source, to, wish);
    try {
      if (!justStored) await this.#confirm(to, copied);
      await this.#deleteOld(source, from, justStored);
    } catch (error) {
      if (target === null) await this.#undoCopy(to, error);
      else await this.#targetReplaced(target, to, copied);
      throw error;
    }
    if (target !== null) await this.#parts.removing.detach(target);
    copied.local = { ...source.version?.local, ...(source.dirty ? source.local : {}) };
    copied.madeHereAt = source.version?.madeHereAt ?? null;
    this.#takeVersion(source, copied);
    this.#moveInTable(source, to);
    namespace.changed(from, { kind: 'missing' });
    namespace.changed(to, { kind: 'file', version: copied });
  }

  async #targetReplaced(target: OpenFile, to: string, copied: Version): Promise<void> {
    await this.#parts.removing.detach(target);
    this.#mount.namespace.changed(to, { kind: 'file', version: copied });
  }

  #takeVersion(source: OpenFile, copied: Version): void {
    source.version = copied;
    source.dirty = false;
    source.failure = null;
    source.endUnknown = false;
    source.basis = 'edit';
    source.contentType = null;
    source.visibilityWish = null;
  }

  /** The bytes go through a draft: what is cached is not fetched again, and a retry has something to read from. */
  async #copy(source: OpenFile, to: string, wish: Visibility): Promise<Version> {
    const { content, store, clock, namespace } = this.#mount;
    const draft = await this.#parts.writing.draftOf(source, source.version?.size ?? 0);
    if (draft.poisoned !== null) throw new FsError('ENOSPC', source.path, 'a write found no space');
    const contentType = this.#contentTypeFor(source, to);
    const upload = content.upload(draft, contentType);
    const modified = new Date(clock.now());
    const copy = { contentType, body: upload.body, md5: () => draft.md5(), modified };
    try {
      const result = await replaceObject(store, keyOfPath(to), copy, wish);
      if (result.visibilityFailure !== undefined) throw result.visibilityFailure as Error;
      result.version.visibility = { value: result.visibility, at: clock.monotonic() };
      upload.keepFor(result.version);
      return result.version;
    } catch (error) {
      // The copy may be there, whole or not at all: nothing may be believed of the new name.
      namespace.changed(to, { kind: 'unknown' });
      throw error;
    }
  }

  async #confirm(to: string, copied: Version): Promise<void> {
    if (copied.etag !== null) return;
    const head = await this.#mount.store.head(keyOfPath(to));
    if (!copied.matches(head)) {
      throw new FsError('ESTALE', to, 'somebody else stored another file under the new name');
    }
  }

  async #deleteOld(source: OpenFile, from: string, justStored: boolean): Promise<void> {
    if (!justStored && source.version !== null && !(await this.#isStill(from, source.version))) {
      throw new FsError('ESTALE', from, 'somebody else replaced the file while it was renamed');
    }
    await this.#mount.store.remove(keyOfPath(from));
  }

  async #isStill(path: string, version: Version): Promise<boolean> {
    try {
      return version.matches(await this.#mount.store.head(keyOfPath(path)));
    } catch (error) {
      if (isRefusal(error, 'missing')) return true;
      throw error;
    }
  }

  async #undoCopy(to: string, cause: unknown): Promise<void> {
    this.#mount.log.warn('a rename failed at its last step and is undone', {
      path: to,
      cause: describeError(cause),
    });
    await this.#removeQuietly(to);
    this.#mount.namespace.changed(to, { kind: 'unknown' });
  }

  async #removeQuietly(path: string): Promise<void> {
    try {
      await this.#mount.store.remove(keyOfPath(path));
    } catch (error) {
      this.#mount.log.error('a copy made for a rename could not be removed', {
        path,
        cause: describeError(error),
      });
    }
    this.#mount.namespace.changed(path, { kind: 'unknown' });
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
    const known = file.version?.visibility;
    if (known !== undefined && namespace.isFresh(known.at)) return known.value;
    try {
      const askedAt = clock.monotonic();
      const { visibility } = await store.visibility(keyOfPath(file.path));
      if (file.version !== null) file.version.visibility = { value: visibility, at: askedAt };
      return visibility;
    } catch (error) {
      if (isRefusal(error, 'missing')) return 'private';
      throw error;
    }
  }

  /** Carried, unless it is what the old name would have been given: then the new name is asked. */
  #contentTypeFor(source: OpenFile, to: string): string {
    const type = source.contentType ?? source.version?.contentType ?? null;
    return type === null || type === contentTypeOf(source.path) ? contentTypeOf(to) : type;
  }

  /** Whether the service took the source's version from us a moment ago: then nobody need look at it again. */
  #isJustStored(source: OpenFile): boolean {
    const entry = this.#mount.namespace.recall(source.path);
    if (source.dirty || entry?.kind !== 'file' || entry.version !== source.version) return false;
    return entry.version.own !== null && this.#mount.clock.monotonic() - entry.confirmedAt < JUST_STORED;
  }

  #moveInTable(source: OpenFile, to: string): void {
    this.#mount.table.remove(source);
    source.path = to;
    if (source.handles.size > 0 || source.dirty) this.#mount.table.add(source);
  }
}
