/**
 * How is an object replaced without taking its public link away?
 *
 * Every upload makes the file private (§3.2). So visibility is asked for before the PUT unless the caller
 * knows it, and `public` is set again afterwards: but only when a HEAD shows that what is stored is what we stored, or
 * we would publish somebody else's bytes.
 */
import { isOfUnknownEnd, isRefusal } from '../service/refusal.ts';
import type { CallOptions, UploadBody } from '../service/object-service.ts';
import type { Visibility } from '../service/records.ts';
import type { BucketStore } from './bucket-store.ts';
import { lastingChange } from './lasting-change.ts';
import { setVisibility } from './lasting-visibility.ts';
import { recognise } from './own-upload.ts';
import { VersionChanged } from './range-reader.ts';
import { Version } from './version.ts';

export interface Replacement {
  readonly version: Version;
  /** What was wanted, and is so unless `visibilityFailure` is set. */
  readonly visibility: Visibility;
  /** Why the visibility could not be set, though the bytes are stored: the caller must report it and may try again. */
  readonly visibilityFailure: unknown;
}

export interface NewContent {
  readonly body: UploadBody;
  readonly contentType: string;
  /** MD5 of exactly the body's bytes; called after the upload, when they were all read. */
  md5(): Promise<string>;
  /** The Last-Modified that the new version shows until the service names it. */
  readonly modified: Date;
  /** Abort to give its upload up: whether the service has it then is unknown. */
  readonly signal?: AbortSignal | undefined;
  /** As in `CallOptions`; asked, too, when the upload has had to wait for its turn. */
  readonly isStillMeant?: CallOptions['isStillMeant'];
}

/**
 * Stores `content` under `key`; again when an upload of unknown end came after it. Rejects with the refusal of the PUT, or of the look
 * that tells so.
 */
export async function replaceObject(
  store: BucketStore,
  key: string,
  content: NewContent,
  wanted: Visibility,
): Promise<Replacement> {
  const version = await lastingChange(store, key, () => storeOnce(store, key, content));
  return asWanted(store, key, version, wanted);
}

async function storeOnce(store: BucketStore, key: string, content: NewContent): Promise<Version> {
  const { body, contentType, signal, isStillMeant } = content;
  const { size } = body;
  try {
    const { storedWithin, mayArriveAgain } = await store.put(key, body, { signal, isStillMeant });
    const md5 = await content.md5();
    if (mayArriveAgain) store.late.addUpload(key, { size, md5, contentType });
    return Version.uploaded({ size, md5, storedWithin, contentType }, content.modified, store.etags);
  } catch (error) {
    if (isOfUnknownEnd(error)) store.late.addUpload(key, { size, md5: await content.md5(), contentType });
    throw error;
  }
}

/** For `version`, which a PUT has stored under `key` and so made private. */
export async function asWanted(
  store: BucketStore,
  key: string,
  version: Version,
  wanted: Visibility,
): Promise<Replacement> {
  try {
    if (wanted === 'public') await publish(store, key, version);
    else if (store.late.mayBePublished(key)) await setVisibility(store, key, wanted);
    return { version, visibility: wanted, visibilityFailure: undefined };
  } catch (error) {
    return { version, visibility: wanted, visibilityFailure: error };
  }
}

/**
 * Sets `public` when the stored object is one of `versions`, and resolves with that. Rejects with `VersionChanged` otherwise, or with the
 * refusal.
 */
export async function publish(
  store: BucketStore,
  key: string,
  ...versions: readonly Version[]
): Promise<Version> {
  const storedNow = async (): Promise<Version | undefined> =>
    recognise(store, key, await store.head(key), versions);
  let stored = await storedNow();
  if (stored !== undefined) {
    // Else a try that follows would publish what somebody else has stored meanwhile.
    const isStillMeant = async (): Promise<boolean> => (stored = await storedNow()) !== undefined;
    await setVisibility(store, key, 'public', { isStillMeant }).catch((error: unknown) => {
      if (stored !== undefined) throw error;
    });
  }
  if (stored === undefined) throw new VersionChanged(key);
  return stored;
}

/**
 * What the visibility of the object under `key` is, to be kept over a PUT: a missing object counts as private. Never ask
 * between two tries of a PUT: the first may have made the object private. Rejects with a refusal.
 */
export async function currentVisibility(store: BucketStore, key: string): Promise<Visibility> {
  try {
    return (await store.visibility(key)).visibility;
  } catch (error) {
    // What this endpoint answers for a missing file is not in the spec, so a HEAD tells whether it is gone: then the PUT
    // creates it anew, private.
    if (!isRefusal(error, 'missing', 'rejected')) throw error;
    if (await isMissing(store, key)) return 'private';
    if (!isRefusal(error, 'missing')) throw error;
    // Others have made it anew meanwhile.
    return (await store.visibility(key)).visibility;
  }
}

async function isMissing(store: BucketStore, key: string): Promise<boolean> {
  try {
    await store.head(key);
    return false;
  } catch (error) {
    if (isRefusal(error, 'missing')) return true;
    throw error;
  }
}
