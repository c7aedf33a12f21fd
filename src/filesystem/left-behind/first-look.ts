/**
 * An earlier mount left a file that was not stored, or of which nobody knows: what does the service have of it by now?
 *
 * Days may have passed. A PUT without a known end may have stored the bytes: then they are not sent again, and the link that it
 * took away is restored. What somebody else has stored since has a visibility of its own, and ours is not carried over.
 */
import type { Draft } from '../../content/draft.ts';
import { versionOf } from '../../content/version-facts.ts';
import type { ObjectHead } from '../../service/records.ts';
import { isRefusal } from '../../service/refusal.ts';
import type { BucketStore } from '../../store/bucket-store.ts';
import { keyOfPath } from '../../store/keys.ts';
import { recognise } from '../../store/own-upload.ts';
import { currentVisibility } from '../../store/replace.ts';
import type { Version } from '../../store/version.ts';
import { attemptOf } from '../drafts/draft-records.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile, Wishes } from '../open-file.ts';

/**
 * Brings what is known of `file` up to date. Returns the version that the service has, if it holds the bytes of `draft`: it came
 * from an upload of ours. Null: they are to be sent. Rejects with a refusal: nothing is known then.
 */
export async function lookFirst(mount: MountState, file: OpenFile, draft: Draft): Promise<Version | null> {
  const key = keyOfPath(file.path);
  const head = await headOf(mount.store, key);
  if (head?.size === draft.size && file.version?.matches(head) !== true)
    for (const attempt of await unhashedAttempt(draft)) file.doubts.add(attempt);
  const found = head === null ? undefined : await recognise(mount.store, key, head, file.possibleVersions);
  const isOurs = found !== undefined && file.doubts.versions.includes(found);
  // It has come.
  const { late } = mount.store;
  if (isOurs)
    late.forgetUploads(
      key,
      late.uploadsOf(key).filter(({ md5 }) => md5 === found.md5),
    );
  const { contentType, basis } = file.wishesOf(draft);
  // Bytes that were there before are not stored again, unless it is their type that was set.
  const isMeant = contentType === null || head?.contentType === contentType;
  // What it held when it was recorded: the local disk may have damaged it since.
  const isStored =
    isOurs && isMeant && found.md5 === (mount.kept.recordOf(draft)?.facts.sealed?.md5 ?? (await draft.md5()));
  if (found === undefined) await meetForeign(mount, file, head, basis);
  else if (!isOurs && !(await meetBase(mount, file, found))) return lookFirst(mount, file, draft);
  file.isLeftBehind = false;
  return isStored ? found : null;
}

/** As `lookFirst`, of a `file` that another is to replace: for as long as it is there its bytes may still have to be sent. */
export async function lookAtReplaced(mount: MountState, file: OpenFile): Promise<void> {
  const draft = file.sealed?.draft ?? file.draft;
  if (!file.isLeftBehind || draft === null) return;
  file.isLeftBehind = (await lookFirst(mount, file, draft)) !== null;
}

/** Nobody had read all of it when it was recorded (recorded-drafts.ts). An upload that began later may have come all the same. */
async function unhashedAttempt(draft: Draft): Promise<Version[]> {
  const { sealed } = draft.facts;
  if (sealed?.md5 !== null) return [];
  return [versionOf(await attemptOf(draft, sealed.at))];
}

async function headOf(store: BucketStore, key: string): Promise<ObjectHead | null> {
  try {
    return await store.head(key);
  } catch (error) {
    if (isRefusal(error, 'missing')) return null;
    throw error;
  }
}

/**
 * No upload of ours has come: what was recorded of the link that they were to take away may be old, and the service says what is so now.
 * Returns false when one has come meanwhile.
 */
async function meetBase({ store, settings }: MountState, file: OpenFile, base: Version): Promise<boolean> {
  if (file.doubts.visibilityBefore === null || settings.visibility !== 'preserve') return true;
  const key = keyOfPath(file.path);
  const visibility = await currentVisibility(store, key);
  // Ours would have made it so.
  if (visibility === 'private') {
    const head = await headOf(store, key);
    if (head === null || (await recognise(store, key, head, [base])) === undefined) return false;
  }
  file.doubts.visibilityBefore = visibility;
  return true;
}

/**
 * Somebody else's file is there, or none. Theirs is not the file's version: an edit in its place is a conflict, and what is written anew
 * replaces it by its upload alone, and takes its link then; a rename leaves it where it is.
 */
async function meetForeign(
  { store, settings }: MountState,
  file: OpenFile,
  head: ObjectHead | null,
  basis: Wishes['basis'],
): Promise<void> {
  const isReplaced = head !== null && basis === 'rewrite' && settings.visibility === 'preserve';
  const visibility = isReplaced ? await currentVisibility(store, keyOfPath(file.path)) : null;
  file.doubts.settle();
  file.doubts.visibilityBefore = visibility;
  if (head === null) file.version = null;
}
