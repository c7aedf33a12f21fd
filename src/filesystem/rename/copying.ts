/**
 * Which requests does a rename make, and what is left when one of them fails? The copy is removed again when its name was
 * free before; but never somebody else's file, and never the copy when the old file may be gone: one whole copy stays.
 */
import { describeError } from '../../base/errors.ts';
import type { Draft } from '../../content/draft.ts';
import type { Visibility } from '../../service/records.ts';
import { isRefusal } from '../../service/refusal.ts';
import { keyOfPath } from '../../store/keys.ts';
import { removeObject } from '../../store/lasting-change.ts';
import { recognise } from '../../store/own-upload.ts';
import { asWanted, replaceObject, type Replacement } from '../../store/replace.ts';
import { Version } from '../../store/version.ts';
import { contentTypeOf } from '../attributes/content-type.ts';
import { refuseDamaged } from '../drafts/draft-damaged.ts';
import { cutBy, mayHaveBeenDone, visibilityError } from '../errno-of.ts';
import { FsError } from '../errors.ts';
import type { MountState } from '../mount-state.ts';
import { OpenFile } from '../open-file.ts';
import { OldFileUnsure, RenameSources, type Whole } from './rename-sources.ts';
import type { Writing } from '../write/writing.ts';

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
  /** What is copied. */
  readonly sources: RenameSources;
  readonly #mount: MountState;
  readonly #writing: Writing;
  /** Whether an ETag that looks like an MD5 was found to be none. */
  #hasOtherEtags = false;

  constructor(mount: MountState, writing: Writing) {
    this.#mount = mount;
    this.#writing = writing;
    this.sources = new RenameSources(mount);
  }

  /**
   * Stores `whole`, of `source`, under `to`. The bytes go through a draft: what is cached is not fetched again, and a retry has
   * something to read from. Rejects when they or their visibility could not be stored; a copy under a free name is gone then.
   */
  async copy(source: OpenFile, whole: Whole, to: string, wish: CopyWish): Promise<Version> {
    const { draft, version, stays } = whole;
    if (draft !== null) await refuseDamaged(this.#mount, source, draft);
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
      await this.#dropped(source.path, copy);
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

  /** Never rejects: what was stored from it is stored, and the next mount deletes it. */
  async #dropped(path: string, copy: Draft): Promise<void> {
    await copy.remove().catch((error: unknown) => {
      this.#mount.log.error('the local copy of a stored file could not be deleted', {
        path,
        cause: describeError(error),
      });
    });
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
      if (visibilityFailure === undefined) version.visibility = { value: visibility, at: clock.monotonic() };
      else if (visibility === 'private') this.#warnOfVisibility(to, visibilityFailure);
      else {
        if (wish.target !== null) await this.#publishLater(wish.target, version, draft);
        throw visibilityError(to, visibilityFailure);
      }
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

  /** Removes `copied` from `to`, which was free before. Only logs when it cannot: the rename has failed already. */
  async undo(to: string, copied: Version, cause: unknown): Promise<void> {
    const { log, store, namespace } = this.#mount;
    log.warn('a rename failed and is undone', { path: to, cause: describeError(cause) });
    try {
      if (cause instanceof OldFileUnsure) throw cause;
      const isOurs = async (): Promise<boolean> => {
        const head = await store.head(keyOfPath(to));
        return (await recognise(store, keyOfPath(to), head, [copied])) !== undefined;
      };
      if (!(await isOurs())) throw new Error("it is somebody else's file");
      await removeObject(store, keyOfPath(to), isOurs);
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

  /** The upload has made it private; whether an earlier request without an answer has made it public since, `failure` keeps from us. */
  #warnOfVisibility(path: string, failure: unknown): void {
    const cause = describeError(failure);
    this.#mount.log.warn('whether a renamed file stayed private is not known', { path, cause });
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
    replaced.doubts.visibilityBefore ??= version === null ? 'private' : (version.visibility?.value ?? null);
    replaced.doubts.add(copy);
    await this.#mount.kept.wantedAgain(replaced);
  }
}

/** Carried, unless it is what the old name would have been given: then the new name is asked. */
export function contentTypeAt(from: string, to: string, type: string | null | undefined): string {
  return type == null || type === contentTypeOf(from) ? contentTypeOf(to) : type;
}
