/**
 * How do a draft's bytes get to the service?
 *
 * The difficulties are what not to send (the same bytes again, an edit whose base somebody replaced) and a PUT without a known
 * end, which may have stored the bytes and made the object private all the same. Callers hold the claim of the file's path.
 */
import type { DraftUpload } from '../../content/content-store.ts';
import type { Draft } from '../../content/draft.ts';
import { isRefusal } from '../../service/refusal.ts';
import type { Visibility } from '../../service/records.ts';
import { keyOfPath } from '../../store/keys.ts';
import { VersionChanged } from '../../store/range-reader.ts';
import { asWanted, publish, replaceObject, type Replacement } from '../../store/replace.ts';
import { Version } from '../../store/version.ts';
import { owedVersions } from '../attributes/carried-visibility.ts';
import { BeforeUpload, type UploadPlan } from './before-upload.ts';
import { BaseReplaced, isTypeAlone } from './conflicts.ts';
import { contentTypeFor } from '../attributes/content-type.ts';
import { isDamaged, refuseDamaged } from '../drafts/draft-damaged.ts';
import { cutBy, mayHaveBeenDone, visibilityError } from '../errno-of.ts';
import { FsError } from '../errors.ts';
import { lookFirst } from '../left-behind/first-look.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile } from '../open-file.ts';
import { UploadStopped } from './stoppable-upload.ts';
import type { Deletions } from '../write-back/deletions.ts';

/** A PUT that may begin. */
interface Prepared {
  readonly upload: DraftUpload;
  readonly contentType: string;
  /** The Last-Modified that the new version shows until the service names it. */
  readonly modified: Date;
  readonly plan: UploadPlan;
}

/** Rejects with an `FsError`, with a refusal, with the local disk's error, or with `UploadStopped`: the draft is then as it was. */
export class Sending {
  readonly #mount: MountState;
  readonly #deletions: Deletions;
  readonly #before: BeforeUpload;

  constructor(mount: MountState, deletions: Deletions) {
    this.#mount = mount;
    this.#deletions = deletions;
    this.#before = new BeforeUpload(mount);
  }

  /**
   * Stores `draft`, which is the file's and must be still (write-gate.ts), and makes the file clean. Rejects with why that could
   * not be, with `BaseReplaced` on a conflict; also, the file clean then, when only its visibility could not be restored.
   */
  async send(file: OpenFile, draft: Draft): Promise<void> {
    const isUnnamed = file.isLeftBehind && this.#mount.kept.recordOf(draft)?.facts.sealed?.md5 === null;
    const found = file.isLeftBehind ? await lookFirst(this.#mount, file, draft) : null;
    if (found !== null) return this.#tookFound(file, draft, await this.#publishIfWanted(file, draft, found));
    await refuseDamaged(this.#mount, file, draft);
    const sameBytes = await this.#storedAlready(file, draft);
    if (sameBytes !== null) {
      // The draft has all that is known of the file: that of another one, over which it was renamed, is not the file's.
      sameBytes.local = {};
      this.#took(file, draft, sameBytes);
      this.#mount.attributes.set(file.path, sameBytes);
      await this.#mount.kept.uploads.stored(file, draft, null);
      return;
    }
    const replacement = await this.#replace(file, draft);
    // An upload of the earlier mount may still come: of what, nobody could say so far (recorded-drafts.ts).
    const { own } = replacement.version;
    if (isUnnamed && own !== null) this.#mount.store.late.addUpload(keyOfPath(file.path), own);
    await this.#tookStored(file, draft, replacement);
  }

  /** As `#tookStored`, of what an earlier mount had sent. */
  async #tookFound(file: OpenFile, draft: Draft, replacement: Replacement): Promise<void> {
    const isOfNoUse = file.handles.size > 0 && (await isDamaged(this.#mount, draft));
    const isPromised = file.sealed?.draft === draft;
    const taking = this.#tookStored(file, draft, replacement);
    // Who has open what the disk has changed since goes on with what the service has; the caller drops what was promised.
    if (isOfNoUse && isPromised && file.draft === draft) {
      file.loseWrites();
      file.draft = null;
    }
    await taking;
  }

  /** The service has the bytes of `draft` as `replacement` says. Rejects when the link could not be restored. */
  async #tookStored(file: OpenFile, draft: Draft, replacement: Replacement): Promise<void> {
    const { version, visibility, visibilityFailure } = replacement;
    version.madeHereAt = file.madeHereAt(this.#mount.clock.monotonic());
    this.#took(file, draft, version);
    // Else the setting would say otherwise of what is newer here.
    const isKept = this.#mount.settings.visibility === 'preserve';
    if (visibilityFailure === undefined && isKept) file.granted(visibility);
    this.#mount.namespace.known.changed(file.path, { kind: 'file', version });
    // It is not ours to restore any more when somebody else has replaced the bytes since.
    const isLinkDown = visibility === 'public' && visibilityFailure !== undefined;
    file.publishPending = isLinkDown && !isReplaced(visibilityFailure);
    // First: made anew just as it was, it is the version that was to be deleted, and only the draft's record would bring it back.
    const settled = this.#deletions.replaced(file.path);
    await this.#mount.kept.uploads.stored(file, draft, file.publishPending ? version : null, settled);
    if (visibilityFailure === undefined) return;
    // The bytes are stored, and the program must still hear that the link is down.
    if (!file.publishPending) this.#mount.namespace.known.doubt(file.path);
    throw visibilityError(file.path, visibilityFailure);
  }

  /**
   * Makes the stored version public, which an earlier upload could not. Rejects with the refusal; resolves when somebody else
   * has replaced the version: then it is not ours to publish.
   */
  async publishAgain(file: OpenFile): Promise<void> {
    if (file.version === null) return;
    try {
      // Of several uploads without a known end any may be the last that came; not all of them were to be public.
      const { store } = this.#mount;
      const version = await publish(store, keyOfPath(file.path), file.version, ...owedVersions(file));
      version.visibility = { value: 'public', at: this.#mount.clock.monotonic() };
      if (version !== file.version) file.take(version);
    } catch (error) {
      if (!isReplaced(error)) {
        if (!file.dirty) file.failure = { error, draft: null, revision: 0 };
        throw error;
      }
      this.#mount.namespace.known.doubt(file.path);
      this.#mount.log.warn('a link was not restored: somebody else has replaced the file since', {
        path: file.path,
      });
    }
    file.publishPending = false;
    file.doubts.settle();
    file.failure = null;
    await this.#mount.kept.linkSettled(file);
  }

  /** For bytes that an upload of an earlier mount has stored. */
  async #publishIfWanted(file: OpenFile, draft: Draft, version: Version): Promise<Replacement> {
    const { store, clock, settings } = this.#mount;
    const preserved = settings.visibility === 'preserve' ? file.doubts.visibilityBefore : settings.visibility;
    const visibility = file.wishesOf(draft).visibility ?? preserved ?? 'private';
    const replacement = await asWanted(store, keyOfPath(file.path), version, visibility);
    if (replacement.visibilityFailure === undefined)
      version.visibility = { value: visibility, at: clock.monotonic() };
    return replacement;
  }

  /** The stored version, if its bytes are the draft's and nothing else is to be changed. */
  async #storedAlready(file: OpenFile, draft: Draft): Promise<Version | null> {
    const base = file.version;
    const { contentType, visibility } = file.wishesOf(draft);
    const hasMore = contentType !== null || visibility !== null || file.publishPending;
    if (base === null || file.endUnknown || hasMore) return null;
    // A DELETE, or another upload, of before may be done at any moment: only what is stored after it, and looked at, lasts.
    const { late } = this.#mount.store;
    const key = keyOfPath(file.path);
    if (late.mayBeDeleted(key) || late.uploadsOf(key).some(({ md5 }) => md5 !== base.md5)) return null;
    if (base.size !== draft.size || base.md5 === null || (await draft.md5()) !== base.md5) return null;
    const found = await this.#mount.namespace.lookup(file.path);
    return found.kind === 'file' && found.version === base ? base : null;
  }

  /** Decides how `draft` is to be stored, and stores it so; anew when that is not right any more before it is stored. */
  async #replace(file: OpenFile, draft: Draft): Promise<Replacement> {
    for (;;) {
      const wanted = await this.#before.visibility(file, draft);
      // Whatever takes a while comes before the look: what somebody else stores between it and the PUT is lost.
      const sending = await this.#prepared(file, draft, wanted);
      if (await this.#before.isConflict(file, draft)) throw await this.#conflict(file, draft);
      const replacement = await this.#put(file, draft, sending);
      if (replacement !== null) return replacement;
    }
  }

  async #conflict(file: OpenFile, draft: Draft): Promise<BaseReplaced> {
    const keepsBoth = this.#mount.settings.conflict === 'keep-both' && !(await isTypeAlone(file, draft));
    return new BaseReplaced(file.path, { draft, revision: draft.revision }, keepsBoth);
  }

  /** What a PUT of `draft` is to store and to be, on the disk where the next mount has to know of it. */
  async #prepared(file: OpenFile, draft: Draft, wanted: Visibility): Promise<Prepared> {
    const { content, clock, kept } = this.#mount;
    const contentType = contentTypeFor(file, file.wishesOf(draft));
    const upload = content.upload(draft, contentType);
    const modified = new Date(clock.now());
    const own = async () => ({
      size: upload.body.size,
      md5: await draft.md5(),
      storedWithin: null,
      contentType,
    });
    const { version, endUnknown } = file;
    const mayReplace = version !== null || endUnknown || file.doubts.visibilityBefore !== null;
    const attempt = async () => Version.uploaded(await own(), modified);
    const plan: UploadPlan = { wanted, since: clock.monotonic(), attempt, seen: null, isOld: false };
    // Whoever publishes has to know it.
    if (wanted === 'public') await draft.md5();
    if (wanted === 'private') await kept.uploads.stayingPrivate(file, draft, attempt);
    else if (mayReplace) await kept.uploads.takingLink(file, draft, await attempt());
    return { upload, contentType, modified, plan };
  }

  /** Null when it has to be decided anew how the draft is to be stored. */
  async #put(file: OpenFile, draft: Draft, prepared: Prepared): Promise<Replacement | null> {
    const { store, clock, kept } = this.#mount;
    const { upload, contentType, modified, plan } = prepared;
    const { wanted } = plan;
    const { storing } = file;
    const bytes = {
      contentType,
      body: upload.body,
      md5: () => draft.md5(),
      modified,
      signal: storing?.signal,
      isStillMeant: () => this.#before.isAsPlanned(file, draft, plan),
    };
    // To record it may be how the disk lets its bytes down: what it stored then would be neither confirmed nor public again.
    if (draft.poisoned !== null) throw cutBy(draft.poisoned, file.path);
    // The mount may have given up while this waited, and the next one is told nothing of what begins now.
    if (kept.isClosed) throw new FsError('EIO', file.path, 'the mount has ended');
    storing?.begin(upload);
    try {
      const replacement = await replaceObject(store, keyOfPath(file.path), bytes, wanted);
      const { version, visibilityFailure, visibility } = replacement;
      if (visibilityFailure === undefined) version.visibility = { value: visibility, at: clock.monotonic() };
      upload.stored(version);
      return replacement;
    } catch (error) {
      const isStopped = storing?.signal.aborted === true;
      if (mayHaveBeenDone(error) && (upload.hasLeft || !isStopped)) {
        const before = wanted === 'private' ? wanted : (file.doubts.visibilityBefore ?? wanted);
        file.doubts.visibilityBefore = plan.seen ?? before;
        file.doubts.seenAt = plan.since;
        file.doubts.add(await plan.attempt());
      }
      if (isStopped) throw new UploadStopped('somebody waits for the file', { cause: error });
      if (plan.isOld) return null;
      throw error;
    }
  }

  /** The service has `version`, which are the bytes of `draft`. */
  #took(file: OpenFile, draft: Draft, version: Version): void {
    version.local = { ...version.local, ...file.wishesOf(draft).local };
    const replaced = file.version;
    file.take(version);
    // Who has what was renamed over open reads bytes of his own (writing.ts): nobody asks for these any more.
    if (replaced !== null && replaced !== version) this.#mount.content.forget(replaced);
    file.doubts.settle();
    file.publishPending = false;
    draft.setLeaving(false);
    if (file.draft === draft) this.#becomeClean(file, version);
    else file.stored(draft);
  }

  #becomeClean(file: OpenFile, version: Version): void {
    file.sealed = null;
    file.dirty = false;
    if (file.isAddedTo(version.size)) file.wishes.basis = 'edit';
    file.wishes.contentType = null;
    file.wishes.visibility = null;
    // Handles may be open for hours; what follows on the draft now starts from this version.
    file.written = false;
    file.passedOver = false;
  }
}

/** Whether somebody else's bytes, or none, are now where ours were. */
function isReplaced(error: unknown): boolean {
  return error instanceof VersionChanged || isRefusal(error, 'missing');
}
