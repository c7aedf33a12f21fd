/**
 * Which requests does a rename make, and what is left when one of them fails? The copy is removed again when its name was
 * free before; but never somebody else's file, and never the copy when the old file may be gone: one whole copy stays.
 */
import { describeError } from '../base/errors.ts';
import type { Draft } from '../content/draft.ts';
import type { Visibility } from '../service/records.ts';
import { isRefusal } from '../service/refusal.ts';
import { keyOfPath } from '../store/keys.ts';
import { removeObject } from '../store/lasting-change.ts';
import { recognise } from '../store/own-upload.ts';
import { asWanted, replaceObject, type Replacement } from '../store/replace.ts';
import { Version } from '../store/version.ts';
import { contentTypeOf } from './content-type.ts';
import { cutBy, mayHaveBeenDone, reasonOf, toFsError, visibilityError } from './errno-of.ts';
import { FsError } from './errors.ts';
import type { MountState } from './mount-state.ts';
import { OpenFile } from './open-file.ts';
import type { Writing } from './writing.ts';

/** The old file may be gone, or go later: the copy may be the only one. */
class OldFileUnsure extends FsError {
  constructor(path: string, cause: unknown) {
    const reason = `whether the file is gone from its old name, or will be, is not known: ${reasonOf(cause)}`;
    super(toFsError(cause, path).code, path, reason, { cause });
  }
}

/** What is under the new name is not the copy any more. */
export class CopyReplaced extends FsError {}

/**
 * Told what is about to be stored under the new name, and the recorded drafts that nobody wants once it is. When it rejects nothing is
 * stored, and the move does.
 */
export type CopyAnnouncement = (
  copy: Version,
  visibility: Visibility,
  drafts: readonly string[],
) => Promise<void>;

/** The bytes of a file that may go under another name: no program is writing them. */
export interface Whole {
  /** Holds them; null: they are those of `version`. */
  readonly draft: Draft | null;
  readonly version: Version | null;
  /** What programs are writing meanwhile: it follows the file, and is for their close to store. */
  readonly stays: Draft | null;
}

/** Bytes on their way to another name. */
interface Bytes {
  readonly draft: Draft;
  /** Not known when it is neither told nor set. */
  readonly contentType: string | null | undefined;
  readonly stays: Draft | null;
}

export interface CopyWish {
  readonly visibility: Visibility;
  readonly announce: CopyAnnouncement;
  /** The file that the new name has already. */
  readonly target: OpenFile | null;
}

/** The steps of a rename, for a caller who holds the claims of both paths and has closed the source's gate (write-gate.ts). */
export class Copying {
  readonly #mount: MountState;
  readonly #writing: Writing;
  /** Whether an ETag that looks like an MD5 was found to be none. */
  #hasOtherEtags = false;

  constructor(mount: MountState, writing: Writing) {
    this.#mount = mount;
    this.#writing = writing;
  }

  /**
   * What a rename of `source` stores under the new name: the newest bytes that are whole. Null when the service has none of them any
   * more, and what is here is half written. Rejects with ESTALE when somebody else has replaced them and the program must hear of it.
   */
  async wholeOf(source: OpenFile): Promise<Whole | null> {
    const { sealed, version, halfWritten: stays, path } = source;
    const draft = stays === null ? source.draft : (sealed?.draft ?? null);
    if (stays === null || draft !== null) {
      // Before anything is stored under the new name, where a file may be that the program would have lost for nothing.
      if (this.#tellsConflicts(source, draft)) await this.#refuseReplaced(source);
      return { draft, version, stays };
    }
    const entry = await this.#mount.namespace.confirmFile(path, versionsOf(source));
    if (entry?.kind !== 'file') return null;
    if (isAmong(entry.version, versionsOf(source))) return { draft: null, version: entry.version, stays };
    if (!this.#tellsConflicts(source, draft)) return null;
    throw replacedMeanwhile(path);
  }

  /**
   * Stores `whole`, of `source`, under `to`. The bytes go through a draft: what is cached is not fetched again, and a retry has
   * something to read from. Rejects when they or their visibility could not be stored; a copy under a free name is gone then.
   */
  async copy(source: OpenFile, whole: Whole, to: string, wish: CopyWish): Promise<Version> {
    const { draft, version, stays } = whole;
    if (draft !== null || version === null) {
      const bytes = draft ?? (await this.#writing.draftOf(source, 0));
      const contentType = source.wishesOf(bytes).contentType ?? version?.contentType;
      return this.#store(source, { draft: bytes, contentType, stays }, to, wish);
    }
    const copy = await this.#writing.copyOf(source, version);
    try {
      await this.#refuseDamaged(source.path, version, copy);
      return await this.#store(source, { draft: copy, contentType: version.contentType, stays }, to, wish);
    } finally {
      await copy.remove();
    }
  }

  /** Rejects with EIO when `copy` is not what the service sends of `version`: it would end as the only one. */
  async #refuseDamaged(path: string, { md5, etag }: Version, copy: Draft): Promise<void> {
    if (md5 === null || this.#hasOtherEtags || md5.toLowerCase() === (await copy.md5())) return;
    const sent = await this.#mount.store.digest(keyOfPath(path));
    if (sent.md5 === md5.toLowerCase())
      throw new FsError('EIO', path, 'what was downloaded of it was damaged on its way');
    this.#hasOtherEtags ||= sent.head.etag === etag;
  }

  async #store(source: OpenFile, bytes: Bytes, to: string, wish: CopyWish): Promise<Version> {
    const { content, store, clock, namespace } = this.#mount;
    const { draft } = bytes;
    if (draft.poisoned !== null) throw cutBy(draft.poisoned, source.path);
    const contentType = contentTypeAt(source.path, to, bytes.contentType);
    const upload = content.upload(draft, contentType);
    const { size } = upload.body;
    const modified = new Date(clock.now());
    const copy = { contentType, body: upload.body, md5: () => draft.md5(), modified };
    const own = { size, md5: await draft.md5(), storedWithin: null, contentType };
    const drafts = this.#endingWith(source, bytes.stays, wish.target);
    await wish.announce(Version.uploaded(own, modified), wish.visibility, drafts);
    try {
      const replacing = replaceObject(store, keyOfPath(to), copy, wish.visibility);
      const result = await replacing.catch((error: unknown) =>
        this.#storedAfterAll(to, Version.uploaded(own, modified), wish, error),
      );
      const { version, visibility, visibilityFailure } = result;
      if (visibilityFailure !== undefined) {
        if (wish.target !== null) await this.#publishLater(wish.target, version, draft);
        throw visibilityError(to, visibilityFailure);
      }
      version.visibility = { value: visibility, at: clock.monotonic() };
      upload.stored(version);
      return version;
    } catch (error) {
      const isStored = error instanceof FsError || mayHaveBeenDone(error);
      // The copy may be there, whole or not at all: nothing may be believed of the new name.
      if (isStored) namespace.known.changed(to, { kind: 'unknown' });
      if (isStored && wish.target === null) {
        await this.undo(to, Version.uploaded(own, modified), error);
      }
      throw error;
    }
  }

  /** Resolves when `to` holds what was copied. Rejects with `CopyReplaced` when it is another file by now. */
  async confirm(to: string, copied: Version): Promise<void> {
    if (copied.etag !== null) return;
    const entry = await this.#mount.namespace.confirmFile(to, [copied]);
    if (entry?.kind === 'file' && copied.isSame(entry.version)) return;
    throw new CopyReplaced('ESTALE', to, 'somebody else stored another file under the new name');
  }

  /**
   * Deletes the source, of which `draft` was copied or what is stored, under its old name: after a look whether it still is what was
   * copied, unless `justStored`. What somebody else has stored there stays: returns whether nothing did. Rejects with ESTALE when the copy
   * is not what the name has by now and its program must hear of it, and with the refusal when the source is still there.
   */
  async deleteOld(source: OpenFile, draft: Draft | null, justStored: boolean): Promise<boolean> {
    const { path } = source;
    if (!justStored && !(await this.#isStill(path, versionsOf(source)))) {
      // What was copied is new here, so it is no matter what its old name shows.
      if (source.dirty && !this.#tellsConflicts(source, draft)) return false;
      throw new FsError('ESTALE', path, 'somebody else replaced the file while it was renamed');
    }
    try {
      await removeObject(this.#mount.store, keyOfPath(path));
    } catch (error) {
      // Also where it was refused: the copy is the only one unless this is seen.
      this.#mount.namespace.known.doubt(path);
      if (!isRefusal(error, 'missing')) await this.#deleteUnsure(source, error);
    }
    return true;
  }

  /** The DELETE of the old file was answered with `error`, or not at all. Resolves when it is gone. */
  async #deleteUnsure(source: OpenFile, error: unknown): Promise<void> {
    const { path } = source;
    const left = await this.#leftAt(path, versionsOf(source));
    if (left === 'nothing') return;
    if (!mayHaveBeenDone(error)) throw error;
    // That it is there does not tell that it stays: the DELETE may still be done, and the copy would be the only one.
    if (left === 'another') throw new OldFileUnsure(path, error);
    await removeObject(this.#mount.store, keyOfPath(path)).catch((again: unknown) => {
      if (!isRefusal(again, 'missing')) throw new OldFileUnsure(path, again);
    });
  }

  /** Whether what is copied of `source`, in `draft` unless it is what is stored, is an edit whose program must hear of a conflict. */
  #tellsConflicts(source: OpenFile, draft: Draft | null): boolean {
    const newest = draft ?? source.draft;
    if (!source.dirty || newest === null || this.#mount.settings.conflict !== 'fail') return false;
    return source.wishesOf(newest).basis === 'edit';
  }

  async #refuseReplaced(source: OpenFile): Promise<void> {
    if (await this.#isStill(source.path, versionsOf(source))) return;
    throw replacedMeanwhile(source.path);
  }

  /** Removes `copied` from `to`, which was free before. Only logs when it cannot: the rename has failed already. */
  async undo(to: string, copied: Version, cause: unknown): Promise<void> {
    const { log, store, namespace } = this.#mount;
    log.warn('a rename failed and is undone', { path: to, cause: describeError(cause) });
    try {
      if (cause instanceof OldFileUnsure) throw cause;
      const head = await store.head(keyOfPath(to));
      const isOurs = (await recognise(store, keyOfPath(to), head, [copied])) !== undefined;
      if (!isOurs) throw new Error("it is somebody else's file");
      await removeObject(store, keyOfPath(to));
      namespace.known.changed(to, { kind: 'missing' });
    } catch (error) {
      if (!isRefusal(error, 'missing')) {
        log.error('what a rename had stored was left in place', { path: to, cause: describeError(error) });
      }
      namespace.known.changed(to, { kind: 'unknown' });
    }
  }

  /**
   * The PUT over an existing file rejected with `error`, but may have been done: then that file is gone, with its link, and there is no
   * way but on. Rejects with `error` when it was not done, or nobody can tell.
   */
  async #storedAfterAll(to: string, copy: Version, wish: CopyWish, error: unknown): Promise<Replacement> {
    if (wish.target === null || !mayHaveBeenDone(error)) throw error;
    const { store, log } = this.#mount;
    const key = keyOfPath(to);
    try {
      const head = await store.head(key);
      if ((await recognise(store, key, head, [copy])) === undefined) throw error;
    } catch (cause) {
      if (cause !== error)
        log.warn('whether a copy was stored is not known', { key, cause: describeError(cause) });
      throw error;
    }
    return asWanted(store, key, copy, wish.visibility);
  }

  /** The recorded drafts that nobody wants once the copy is stored. */
  #endingWith(source: OpenFile, stays: Draft | null, target: OpenFile | null): string[] {
    const { kept } = this.#mount;
    const ofSource = kept.recorded(source).filter((id) => id !== stays?.id);
    return target === null ? ofSource : [...ofSource, ...kept.recorded(target)];
  }

  /** The next close of the new name, or the unmount, tries again. */
  async #publishLater(replaced: OpenFile, version: Version, draft: Draft): Promise<void> {
    if (replaced.dirty) return this.#giveWay(replaced, version);
    const { table, kept } = this.#mount;
    table.detach(replaced);
    const file = new OpenFile(replaced.path, version);
    file.publishPending = true;
    table.add(file);
    await kept.owesLink(file, draft, version);
  }

  /**
   * What waits of `replaced` goes up after all, over the copy, whose source is still there: both names are as before then. It is not as
   * visible as the copy was to be, but has the link back that the file had.
   */
  async #giveWay(replaced: OpenFile, copy: Version): Promise<void> {
    const { version } = replaced;
    replaced.visibilityBefore ??= version === null ? 'private' : (version.visibility?.value ?? null);
    replaced.unconfirmed.push(copy);
    await this.#mount.kept.wantedAgain(replaced);
  }

  async #isStill(path: string, versions: readonly Version[]): Promise<boolean> {
    const entry = await this.#mount.namespace.confirmFile(path, versions);
    // One that somebody else has deleted meanwhile is no obstacle.
    return entry?.kind !== 'file' || isAmong(entry.version, versions);
  }

  /** Rejects with `OldFileUnsure` when nobody knows. */
  async #leftAt(path: string, versions: readonly Version[]): Promise<'nothing' | 'old' | 'another'> {
    try {
      const entry = await this.#mount.namespace.confirmFile(path, versions);
      if (entry?.kind !== 'file') return 'nothing';
      return isAmong(entry.version, versions) ? 'old' : 'another';
    } catch (error) {
      throw new OldFileUnsure(path, error);
    }
  }
}

function replacedMeanwhile(path: string): FsError {
  return new FsError('ESTALE', path, 'somebody else replaced the file while it was edited here');
}

/** What the service may have of `source`. */
function versionsOf({ version, unconfirmed }: OpenFile): readonly Version[] {
  return version === null ? unconfirmed : [version, ...unconfirmed];
}

function isAmong(version: Version, versions: readonly Version[]): boolean {
  return versions.some((each) => each.isSame(version));
}

/** Carried, unless it is what the old name would have been given: then the new name is asked. */
export function contentTypeAt(from: string, to: string, type: string | null | undefined): string {
  return type == null || type === contentTypeOf(from) ? contentTypeOf(to) : type;
}
