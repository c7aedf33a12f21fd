/**
 * When and how do a draft's bytes get to the service?
 *
 * At flush and fsync, whose errors reach the program, and as a last chance at release, whose error only the log sees. The
 * difficulty is what not to upload: an object emptied by O_TRUNC whose new bytes are still to come (`echo x > f` flushes once
 * before it writes), the same bytes again, a draft that a full disk has cut, and an edit whose base somebody replaced.
 */
import { describeError } from '../base/errors.ts';
import type { Draft } from '../content/draft.ts';
import { isRefusal } from '../service/refusal.ts';
import type { Visibility } from '../service/records.ts';
import { keyOfPath } from '../store/keys.ts';
import { recognise } from '../store/own-upload.ts';
import { VersionChanged } from '../store/range-reader.ts';
import {
  currentVisibility,
  describeVisibilityFailure,
  publish,
  replaceObject,
  type Replacement,
} from '../store/replace.ts';
import { Version } from '../store/version.ts';
import { contentTypeOf } from './content-type.ts';
import { isPassing, mayHaveBeenDone } from './errno-of.ts';
import { FsError } from './errors.ts';
import type { MountState } from './mount-state.ts';
import type { Handle, OpenFile } from './open-file.ts';
import type { Reading } from './reading.ts';

export class Uploading {
  readonly #mount: MountState;
  readonly #reading: Reading;

  constructor(mount: MountState, reading: Reading) {
    this.#mount = mount;
    this.#reading = reading;
  }

  /** One close(2): stores what the handle's file has new. */
  async flush(handle: Handle): Promise<void> {
    const { file } = handle;
    if (!handle.canWrite || this.#waitsForMore(file)) return;
    await this.store(file);
  }

  /** Stores the draft, if it holds anything new. Rejects with why it could not; the draft then stays. */
  async store(file: OpenFile): Promise<void> {
    for (;;) {
      const path = file.path;
      const done = await this.#mount.claims.run([path], async () => {
        // A rename may have moved the file while this waited.
        if (file.path !== path) return false;
        await this.#storeClaimed(file);
        return true;
      });
      if (done) return;
    }
  }

  /** As `store`, for a caller that holds the claim of the file's path. */
  async storeClaimed(file: OpenFile): Promise<void> {
    await this.#storeClaimed(file);
  }

  /** What the draft will be stored as. */
  contentTypeFor(file: OpenFile): string {
    if (file.contentType !== null) return file.contentType;
    // An edit in place is of the same type as before; a file written anew is what its name says.
    const known = file.basis === 'edit' ? file.version?.contentType : undefined;
    return known ?? contentTypeOf(file.path);
  }

  /** The last handle is gone: a last try for bytes that no flush has tried, and an end for drafts that will never go up. */
  async settle(file: OpenFile): Promise<void> {
    const { draft } = file;
    const poison = draft?.poisoned ?? null;
    if (poison !== null && !file.detached) {
      this.#mount.log.error('a file cut by a full disk was not stored', { path: file.path, cause: poison });
      await this.#dropDraft(file);
      return;
    }
    if (file.dirty && !file.detached && file.failure?.revision !== draft?.revision) {
      await this.store(file).catch((error: unknown) => {
        // Nobody is left to hear it; #failed has logged it, and the draft stays.
        this.#mount.log.debug('upload at release failed', { path: file.path, cause: describeError(error) });
      });
    }
    // Somebody may have opened it again meanwhile.
    if (file.handles.size > 0) return;
    if (file.dirty && file.failure !== null && !this.#mayTryAgain(file, file.failure.error))
      await this.#setAside(file);
    if (!file.dirty || file.detached) await this.#dropDraft(file);
  }

  /** The service refused for good and no handle is open: the bytes are set aside, and the name shows the service's file. */
  async giveUp(file: OpenFile): Promise<void> {
    await this.#setAside(file);
    await this.#dropDraft(file);
  }

  #mayTryAgain(file: OpenFile, error: unknown): boolean {
    // Without a name nobody would find the bytes, or try again.
    return isPassing(error) && this.#mount.table.get(file.path) === file;
  }

  /** Lets go of local bytes that nobody has open and that the service has. For callers who hold the path's claim. */
  async dropUnused(file: OpenFile): Promise<void> {
    if (file.handles.size === 0 && !file.dirty) await this.#dropDraft(file);
  }

  /**
   * An existing object that was emptied and not written yet: the first flush passes over it, since shells flush a duplicated
   * descriptor before the program writes a byte. A new file has nothing to lose and is stored at once.
   */
  #waitsForMore(file: OpenFile): boolean {
    if (!file.dirty || file.written || file.passedOver || file.version === null || file.size > 0)
      return false;
    file.passedOver = true;
    return true;
  }

  async #storeClaimed(file: OpenFile): Promise<void> {
    if (file.detached) return;
    if (!file.dirty) {
      if (file.publishPending) await this.#publishAgain(file);
      return;
    }
    await file.gate.still(async () => {
      const { draft } = file;
      if (!file.dirty || draft === null) return;
      if (draft.poisoned !== null) {
        throw new FsError('ENOSPC', file.path, 'a write found no space, so the file is not stored');
      }
      file.uploading = true;
      try {
        await this.#send(file, draft);
        file.failure = null;
      } catch (error) {
        this.#failed(file, draft, error);
        throw error;
      } finally {
        file.uploading = false;
      }
    });
  }

  async #send(file: OpenFile, draft: Draft): Promise<void> {
    if (await this.#isStoredAlready(file, draft)) {
      this.#becomeClean(file, file.version);
      return;
    }
    if (file.basis === 'edit' && file.version !== null) await this.#refuseConflict(file, file.version);
    const replacement = await this.#put(file, draft);
    const { version, visibilityFailure } = replacement;
    version.madeHereAt = file.version === null ? this.#mount.clock.monotonic() : file.version.madeHereAt;
    this.#becomeClean(file, version);
    this.#mount.namespace.changed(file.path, { kind: 'file', version });
    if (visibilityFailure === undefined) return;
    // The bytes are stored, and the program must still hear that the link is down. It is not ours to restore any more when
    // somebody else has replaced them since.
    file.publishPending = !isReplaced(visibilityFailure);
    if (!file.publishPending) this.#mount.namespace.doubt(file.path);
    throw new FsError('EIO', file.path, describeVisibilityFailure(visibilityFailure), {
      cause: visibilityFailure,
    });
  }

  /** Whether the draft's bytes are those of the stored version, and nothing else is to be changed. */
  async #isStoredAlready(file: OpenFile, draft: Draft): Promise<boolean> {
    const base = file.version;
    if (base === null || file.endUnknown || file.contentType !== null || file.visibilityWish !== null)
      return false;
    if (base.size !== draft.size || base.md5 === null || (await draft.md5()) !== base.md5) return false;
    const found = await this.#mount.namespace.lookup(file.path);
    return found.kind === 'file' && found.version === base;
  }

  /** The service has no conditional PUT; a HEAD just before is the closest to one that there is. */
  async #refuseConflict(file: OpenFile, base: Version): Promise<void> {
    const { namespace, store, clock } = this.#mount;
    const question = namespace.ask();
    const askedAt = clock.monotonic();
    try {
      const head = await store.head(keyOfPath(file.path));
      // What a PUT without a known end has stored is no conflict: it was ours.
      const stored = await recognise(store, keyOfPath(file.path), head, [base, ...file.unconfirmed]);
      namespace.learn(file.path, question, askedAt, head);
      if (stored !== undefined) return;
    } catch (error) {
      namespace.forgetQuestion(question);
      // Deleted by somebody else while it was edited: storing it anew loses nobody's bytes.
      if (isRefusal(error, 'missing')) return;
      throw error;
    }
    throw new FsError('ESTALE', file.path, 'somebody else replaced the file while it was edited here');
  }

  async #put(file: OpenFile, draft: Draft): Promise<Replacement> {
    const { store, content, clock } = this.#mount;
    const wanted = await this.#visibilityWanted(file);
    const contentType = this.contentTypeFor(file);
    const upload = content.upload(draft, contentType);
    const bytes = {
      contentType,
      body: upload.body,
      md5: () => draft.md5(),
      modified: new Date(clock.now()),
    };
    try {
      const replacement = await replaceObject(store, keyOfPath(file.path), bytes, wanted);
      const { version, visibilityFailure, visibility } = replacement;
      if (visibilityFailure === undefined) version.visibility = { value: visibility, at: clock.monotonic() };
      upload.keepFor(version);
      return replacement;
    } catch (error) {
      if (mayHaveBeenDone(error)) {
        file.visibilityBefore ??= wanted;
        const own = { size: bytes.body.size, md5: await draft.md5(), storedWithin: null, contentType };
        file.unconfirmed.push(Version.uploaded(own, bytes.modified));
      }
      throw error;
    }
  }

  async #visibilityWanted(file: OpenFile): Promise<Visibility> {
    const { settings, namespace, store } = this.#mount;
    if (file.visibilityWish !== null) return file.visibilityWish;
    if (settings.visibility !== 'preserve') return settings.visibility;
    if (file.publishPending) return 'public';
    if (file.visibilityBefore !== null) return file.visibilityBefore;
    if (file.version === null) return 'private';
    const known = file.version.visibility;
    if (known !== undefined && namespace.isFresh(known.at)) return known.value;
    return currentVisibility(store, keyOfPath(file.path));
  }

  #becomeClean(file: OpenFile, version: Version | null): void {
    if (version !== null) version.local = { ...version.local, ...file.local };
    file.version = version;
    file.unconfirmed = [];
    file.visibilityBefore = null;
    file.publishPending = false;
    file.dirty = false;
    file.basis = 'edit';
    file.contentType = null;
    file.visibilityWish = null;
    // Handles may be open for hours; what follows on the draft now starts from this version.
    file.written = false;
    file.passedOver = false;
  }

  async #publishAgain(file: OpenFile): Promise<void> {
    if (file.version === null) return;
    try {
      await publish(this.#mount.store, keyOfPath(file.path), file.version);
      file.version.visibility = { value: 'public', at: this.#mount.clock.monotonic() };
    } catch (error) {
      if (!isReplaced(error)) throw error;
      this.#mount.namespace.doubt(file.path);
      this.#mount.log.warn('a link was not restored: somebody else has replaced the file since', {
        path: file.path,
      });
    }
    file.publishPending = false;
    file.failure = null;
  }

  #failed(file: OpenFile, draft: Draft, error: unknown): void {
    const repeated = file.failure?.revision === draft.revision;
    file.failure = { error, revision: draft.revision };
    if (file.endUnknown) this.#mount.namespace.changed(file.path, { kind: 'unknown' });
    const fields = { path: file.path, cause: describeError(error), bytes: draft.size };
    if (!file.dirty) this.#mount.log.error('a file was stored, but not made public again', fields);
    else if (repeated) this.#mount.log.warn('a file could again not be stored', fields);
    else this.#mount.log.error('a file could not be stored; its bytes are kept here', fields);
  }

  async #setAside(file: OpenFile): Promise<void> {
    const { draft, failure } = file;
    if (draft === null) return;
    const where = await this.#mount.content.setAside(draft, {
      key: keyOfPath(file.path),
      reason: describeError(failure?.error),
    });
    this.#mount.log.error('the service refused a file for good; its bytes are set aside', {
      path: file.path,
      where,
    });
    file.draft = null;
    file.dirty = false;
  }

  async #dropDraft(file: OpenFile): Promise<void> {
    const { draft } = file;
    file.draft = null;
    file.dirty = false;
    this.#reading.letGo(file);
    if (!file.publishPending) this.#mount.table.remove(file);
    await draft?.remove();
  }
}

/** Whether somebody else's bytes, or none, are now where ours were. */
function isReplaced(error: unknown): boolean {
  return error instanceof VersionChanged || isRefusal(error, 'missing');
}
