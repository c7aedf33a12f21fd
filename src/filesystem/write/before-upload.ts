/**
 * What of the service decides how a file is stored, and is it so still when another try leaves?
 *
 * Whether somebody else has replaced what an edit was made from, and how visible the file is, which a PUT takes away. An upload may wait for
 * its turn, for the service, or with a whole machine that sleeps: what was seen before counts no more then.
 */
import type { Draft } from '../../content/draft.ts';
import type { ObjectHead, Visibility } from '../../service/records.ts';
import { isRefusal } from '../../service/refusal.ts';
import { keyOfPath } from '../../store/keys.ts';
import { recognise } from '../../store/own-upload.ts';
import { currentVisibility } from '../../store/replace.ts';
import type { Version } from '../../store/version.ts';
import { isLinkOwed, standingVersion, visibilityToKeep } from '../attributes/carried-visibility.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile } from '../open-file.ts';

/** How an upload of a draft was meant to be. */
export interface UploadPlan {
  readonly wanted: Visibility;
  /** When that was decided, monotonic milliseconds. */
  readonly since: number;
  /** What it stores. */
  readonly attempt: () => Promise<Version>;
  /** What the visibility is by now, with nothing of the upload stored; null: as it was, or nobody can tell. */
  seen: Visibility | null;
  /** Whether it has to be decided anew. */
  isOld: boolean;
}

/** Rejects with a refusal. For callers who hold the claim of the file's path. */
export class BeforeUpload {
  readonly #mount: MountState;

  constructor(mount: MountState) {
    this.#mount = mount;
  }

  /** The visibility that `file` shall have with the bytes of `draft`. */
  async visibility(file: OpenFile, draft: Draft): Promise<Visibility> {
    const { namespace, store } = this.#mount;
    const { visibility: visibilityWish } = file.wishesOf(draft);
    if (this.#isOld(file, visibilityWish))
      file.doubts.visibilityBefore =
        (await this.#seenUnless(file, file.doubts.versions)) ?? file.doubts.visibilityBefore;
    const kept = visibilityToKeep(this.#mount, file, visibilityWish);
    if (kept !== undefined) return kept;
    const known = standingVersion(this.#mount, file)?.visibility;
    const isFresh = known !== undefined && namespace.known.isFresh(file.path, known.at);
    if (isFresh && !store.hasJustWoken) return known.value;
    return currentVisibility(store, keyOfPath(file.path));
  }

  /** The service has no conditional PUT; a HEAD just before is the closest to one that there is. */
  async isConflict(file: OpenFile, draft: Draft): Promise<boolean> {
    const { namespace, store, clock } = this.#mount;
    if (!this.#mayConflict(file, draft)) return false;
    const question = namespace.known.ask();
    const askedAt = clock.monotonic();
    try {
      const head = await store.head(keyOfPath(file.path));
      const stored = await recognise(store, keyOfPath(file.path), head, oursOf(file));
      namespace.known.learn(file.path, question, askedAt, head);
      return stored === undefined;
    } catch (error) {
      namespace.known.forgetQuestion(question);
      // Deleted by somebody else while it was edited: storing it anew loses nobody's bytes.
      if (isRefusal(error, 'missing')) return false;
      throw error;
    }
  }

  /** Whether the upload of `draft` is as it was meant to be, by what the service has now; else `plan` says what it has. */
  async isAsPlanned(file: OpenFile, draft: Draft, plan: UploadPlan): Promise<boolean> {
    const mayConflict = this.#mayConflict(file, draft);
    const { visibility: visibilityWish } = file.wishesOf(draft);
    const isKept =
      visibilityToKeep(this.#mount, file, visibilityWish) !== undefined && !this.#isOld(file, visibilityWish);
    const { namespace, store } = this.#mount;
    const isTold = isKept || (namespace.known.isFresh(file.path, plan.since) && !store.hasJustWoken);
    if (isTold && !mayConflict) return true;
    const key = keyOfPath(file.path);
    // Before the look, which tells whether it was so by our doing.
    const seen = isTold ? plan.wanted : await currentVisibility(store, key);
    const head = await this.#head(key);
    // Nothing is there, by our doing: what has been stored may be gone again (lasting-change.ts).
    if (head === null && store.late.mayBeDeleted(key)) return true;
    // To tell what may have come costs a reading of the draft, and others wait for the place of this upload.
    if (seen === plan.wanted && (head === null || isAsBefore(file, head))) return true;
    if (await this.#hasCome(file, head, async () => [await plan.attempt(), ...store.late.uploadsOf(key)]))
      return true;
    if (seen !== plan.wanted) plan.seen = seen;
    const isReplaced =
      mayConflict &&
      head !== null &&
      !isAsBefore(file, head) &&
      (await recognise(store, key, head, oursOf(file))) === undefined;
    plan.isOld = isReplaced || seen !== plan.wanted;
    return !plan.isOld;
  }

  #mayConflict(file: OpenFile, draft: Draft): boolean {
    return file.wishesOf(draft).basis === 'edit' && this.#mount.settings.conflict !== 'overwrite';
  }

  /** Whether how visible `file` shall be is only known from before an upload without a known end, and others may have changed it since. */
  #isOld(file: OpenFile, wish: Visibility | null): boolean {
    const { settings, namespace } = this.#mount;
    if (wish !== null || settings.visibility !== 'preserve' || file.doubts.visibilityBefore === null)
      return false;
    if (namespace.known.isFresh(file.path, file.doubts.seenAt)) return false;
    return file.endUnknown && !isLinkOwed(this.#mount, file);
  }

  /** How visible the file is now; null when that is by our doing, since one of `tries` has been stored. */
  async #seenUnless(file: OpenFile, tries: readonly Version[]): Promise<Visibility | null> {
    const { store } = this.#mount;
    const key = keyOfPath(file.path);
    const seen = await currentVisibility(store, key);
    const head = await this.#head(key);
    return (await this.#hasCome(file, head, () => Promise.resolve(tries))) ? null : seen;
  }

  /** Whether `head` shows that one of `tries` has been stored since `file` was told of last. */
  async #hasCome(
    file: OpenFile,
    head: ObjectHead | null,
    tries: () => Promise<readonly Version[]>,
  ): Promise<boolean> {
    if (head === null) return false;
    const possible = (await tries()).filter((each) => mayHaveCome(each, head, file));
    return (await recognise(this.#mount.store, keyOfPath(file.path), head, possible)) !== undefined;
  }

  async #head(key: string): Promise<ObjectHead | null> {
    try {
      return await this.#mount.store.head(key);
    } catch (error) {
      if (isRefusal(error, 'missing')) return null;
      throw error;
    }
  }
}

/** Whether the service tells of the version of `file` as it did before; to the second, so the same bytes may have been stored again. */
function isAsBefore({ version }: OpenFile, { etag, lastModified }: ObjectHead): boolean {
  return version?.etag === etag && version.lastModified.getTime() === lastModified.getTime();
}

/**
 * The same bytes may be stored to be of another type: then that tells which are there. Of other bytes it tells nothing: some services do not
 * return a type as it was sent.
 */
function mayHaveCome({ own }: Version, head: ObjectHead, file: OpenFile): boolean {
  const { etag, contentType } = head;
  const isOfOtherBytes = own === null || own.md5 !== file.version?.md5;
  const isOfType = isOfOtherBytes || contentType === null || own.contentType === contentType;
  return isOfType && (!isAsBefore(file, head) || own?.md5 === etag.toLowerCase());
}

/** What a PUT without a known end has stored is no conflict: it was ours. */
function oursOf({ version, doubts }: OpenFile): readonly Version[] {
  return version === null ? doubts.versions : [version, ...doubts.versions];
}
