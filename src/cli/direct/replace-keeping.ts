/**
 * How does `pailfs put` replace a file whose visibility shall stay? A try may leave a minute after the first: what others have published
 * or taken down by then is not undone.
 */
import type { ObjectHead, Visibility } from '../../service/records.ts';
import { isRefusal } from '../../service/refusal.ts';
import type { BucketStore } from '../../store/bucket-store.ts';
import { recognise } from '../../store/own-upload.ts';
import { currentVisibility, replaceObject, type NewContent, type Replacement } from '../../store/replace.ts';
import { Version } from '../../store/version.ts';
import { exitCodes } from '../command-error.ts';
import { EndUnknown, mayBeDone, reasonOf } from '../connecting/refused.ts';

/** As `replaceObject`, which may be begun again. `found`: told what the visibility is to be, before the upload. */
export async function replaceKeeping(
  store: BucketStore,
  key: string,
  content: NewContent,
  found: (wanted: Visibility) => void,
): Promise<Replacement> {
  for (;;) {
    // Asked for before the upload, which makes the file private (§3.2).
    const wanted = await currentVisibility(store, key);
    found(wanted);
    // Of bytes that are there already only the time tells whether they came by a try; what is private is left alone without.
    const before = wanted === 'public' ? await headOf(store, key) : null;
    const plan = { isOld: false };
    const isStillMeant = async (): Promise<boolean> => {
      // Before the look, which tells whether it was so by our doing.
      const seen = await currentVisibility(store, key);
      plan.isOld = seen !== wanted && !(await hasCome(store, key, content, before));
      return !plan.isOld;
    };
    try {
      return await replaceObject(store, key, { ...content, isStillMeant }, wanted);
    } catch (error) {
      if (!plan.isOld) throw wanted === 'public' && mayBeDone(error) ? linkInDoubt(error) : error;
    }
  }
}

/** Whoever tried again would find it private, and keep it so. */
function linkInDoubt(error: unknown): EndUnknown {
  return new EndUnknown(
    exitCodes.failed,
    `${reasonOf(error) ?? 'no answer'}; it was public, and is not any more if it is stored: put it again with --visibility public`,
    { cause: error },
  );
}

/** Whether a try has stored `content`, though the service did not say so. `before`: what was there before the first one, if that was looked at. */
async function hasCome(
  store: BucketStore,
  key: string,
  content: NewContent,
  before: ObjectHead | null,
): Promise<boolean> {
  const head = await headOf(store, key);
  if (head === null || (before !== null && isSame(head, before))) return false;
  const { size } = content.body;
  const own = { size, md5: await content.md5(), storedWithin: null, contentType: content.contentType };
  const tried = Version.uploaded(own, content.modified, store.etags);
  return (await recognise(store, key, head, [tried])) !== undefined;
}

function isSame(one: ObjectHead, other: ObjectHead): boolean {
  return one.etag === other.etag && one.lastModified.getTime() === other.lastModified.getTime();
}

/** Null: it is missing. */
async function headOf(store: BucketStore, key: string): Promise<ObjectHead | null> {
  try {
    return await store.head(key);
  } catch (error) {
    if (isRefusal(error, 'missing')) return null;
    throw error;
  }
}
