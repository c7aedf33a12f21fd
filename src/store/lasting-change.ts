/**
 * Does a change of a key last, when an upload or a deletion of ours whose end nobody knows may come after it? A HEAD tells whether it
 * has: then the change is made again.
 */
import type { CallOptions } from '../service/object-service.ts';
import { afterwards, isOfUnknownEnd, isRefusal, Refusal } from '../service/refusal.ts';
import type { BucketStore } from './bucket-store.ts';
import { recognise } from './own-upload.ts';
import type { Version } from './version.ts';

/** How often a change is made again. As many late requests in a row are no accident any more. */
const MOST_REPEATS = 3;

/**
 * Makes `change`, which leaves a version of ours under `key`, or nothing (null); again when a request of unknown end came after it.
 * Without such a request it costs none of its own. Rejects with the refusal of the change or of the look.
 */
export async function lastingChange<Left extends Version | null>(
  store: BucketStore,
  key: string,
  change: () => Promise<Left>,
): Promise<Left> {
  for (let repeats = 0; repeats <= MOST_REPEATS; repeats += 1) {
    const left = await (repeats === 0 ? change() : again(change));
    // The same bytes do no harm.
    const late = store.late.uploadsOf(key).filter(({ md5 }) => md5 !== left?.md5);
    const mayBeDeleted = left !== null && store.late.mayBeDeleted(key);
    if (late.length === 0 && !mayBeDeleted) return left;
    if (!(await isUndone(store, key, late, mayBeDeleted))) {
      store.late.forgetUploads(key, late);
      if (mayBeDeleted) store.late.forgetDeletion(key);
      return left;
    }
  }
  const reason = 'earlier changes of the file came after it again and again';
  throw new Refusal('unavailable', reason, { operation: 'headObject', subject: key });
}

/** Deletes the file under `key`, for good; further tries only as long as that `isStillMeant` (object-service.ts). Rejects with a refusal. */
export async function removeObject(
  store: BucketStore,
  key: string,
  isStillMeant?: CallOptions['isStillMeant'],
): Promise<void> {
  await lastingChange(store, key, async () => {
    await removeOnce(store, key, isStillMeant);
    return null;
  });
}

/** As `removeObject`, of a file that no late upload brings back, or whose caller looks. */
export async function removeOnce(
  store: BucketStore,
  key: string,
  isStillMeant?: CallOptions['isStillMeant'],
): Promise<void> {
  try {
    const { mayArriveAgain } = await store.remove(key, { isStillMeant });
    if (mayArriveAgain) store.late.addDeletion(key);
  } catch (error) {
    if (isOfUnknownEnd(error)) store.late.addDeletion(key);
    throw error;
  }
}

/** What was done before, and what came after it, is there whatever becomes of this time. */
async function again<Left>(change: () => Promise<Left>): Promise<Left> {
  try {
    return await change();
  } catch (error) {
    throw isRefusal(error) ? afterwards(error) : error;
  }
}

/** Whether one of `late` is there; or nothing, where that may be a deletion's doing. */
async function isUndone(
  store: BucketStore,
  key: string,
  late: readonly Version[],
  mayBeDeleted: boolean,
): Promise<boolean> {
  try {
    return (await recognise(store, key, await store.head(key), late)) !== undefined;
  } catch (error) {
    if (isRefusal(error, 'missing')) return mayBeDeleted;
    throw isRefusal(error) ? afterwards(error) : error;
  }
}
