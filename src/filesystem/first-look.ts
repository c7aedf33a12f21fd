/**
 * An earlier mount left a file that was not stored, or of which nobody knows: what does the service have of it by now?
 *
 * Days may have passed. A PUT without a known end may have stored the bytes: then they are not sent again, and the link that it
 * took away is restored. What somebody else has stored since has a visibility of its own, and ours is not carried over.
 */
import type { Draft } from '../content/draft.ts';
import type { ObjectHead } from '../service/records.ts';
import { isRefusal } from '../service/refusal.ts';
import { keyOfPath } from '../store/keys.ts';
import { recognise } from '../store/own-upload.ts';
import { Version } from '../store/version.ts';
import type { MountState } from './mount-state.ts';
import type { OpenFile } from './open-file.ts';

/**
 * Brings what is known of `file` up to date. Returns the version that the service has, if it holds the bytes of `draft`: it came
 * from an upload of ours. Null: they are to be sent. Rejects with a refusal: nothing is known then.
 */
export async function lookFirst(mount: MountState, file: OpenFile, draft: Draft): Promise<Version | null> {
  const key = keyOfPath(file.path);
  const head = await headOf(mount, key);
  const found = head === null ? undefined : await recognise(mount.store, key, head, versionsOf(file));
  const isOurs = found !== undefined && file.unconfirmed.includes(found);
  file.isLeftBehind = false;
  // It has come.
  const { late } = mount.store;
  if (isOurs)
    late.forget(
      key,
      late.of(key).filter(({ md5 }) => md5 === found.md5),
    );
  const { contentType, basis } = file.wishesOf(draft);
  // Bytes that were there before are not stored again, unless it is their type that was set.
  const isMeant = contentType === null || head?.contentType === contentType;
  if (isOurs && isMeant && found.md5 === (await draft.md5())) return found;
  if (found === undefined) meetForeign(file, head, basis);
  return null;
}

function versionsOf(file: OpenFile): Version[] {
  return file.version === null ? file.unconfirmed : [...file.unconfirmed, file.version];
}

async function headOf(mount: MountState, key: string): Promise<ObjectHead | null> {
  try {
    return await mount.store.head(key);
  } catch (error) {
    if (isRefusal(error, 'missing')) return null;
    throw error;
  }
}

/** Somebody else's file is there, or none. */
function meetForeign(file: OpenFile, head: ObjectHead | null, basis: OpenFile['basis']): void {
  file.unconfirmed = [];
  file.visibilityBefore = null;
  if (head === null) file.version = null;
  // An edit keeps its base: that it was replaced is a conflict.
  else if (basis === 'rewrite') file.version = Version.told(head);
}
