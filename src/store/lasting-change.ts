/**
 * Does a change of a key last, when an upload of ours whose end nobody knows may come after it? A HEAD tells whether it has: then
 * the change is made again.
 */
import { afterwards, isRefusal, Refusal } from '../service/refusal.ts';
import type { BucketStore } from './bucket-store.ts';
import { recognise } from './own-upload.ts';
import type { Version } from './version.ts';

/** How often a change is made again. As many late uploads in a row are no accident any more. */
const MOST_REPEATS = 3;

/**
 * Makes `change`, which leaves a version of ours under `key`, or nothing (null); again when an upload of unknown end came after it.
 * Without such an upload it costs no request of its own. Rejects with the refusal of the change or of the look.
 */
export async function lastingChange<Left extends Version | null>(
  store: BucketStore,
  key: string,
  change: () => Promise<Left>,
): Promise<Left> {
  for (let repeats = 0; repeats <= MOST_REPEATS; repeats += 1) {
    const left = await (repeats === 0 ? change() : again(change));
    // The same bytes do no harm.
    const late = store.late.of(key).filter(({ md5 }) => md5 !== left?.md5);
    if (late.length === 0 || !(await isThere(store, key, late))) {
      store.late.forget(key, late);
      return left;
    }
  }
  const reason = 'earlier uploads of the file came after it again and again';
  throw new Refusal('unavailable', reason, { operation: 'headObject', subject: key });
}

/** Deletes the file under `key`, for good. Rejects with a refusal. */
export async function removeObject(store: BucketStore, key: string): Promise<void> {
  await lastingChange(store, key, async () => {
    await store.remove(key);
    return null;
  });
}

/** What was done before, and what came after it, is there whatever becomes of this time. */
async function again<Left>(change: () => Promise<Left>): Promise<Left> {
  try {
    return await change();
  } catch (error) {
    throw isRefusal(error) ? afterwards(error) : error;
  }
}

async function isThere(store: BucketStore, key: string, versions: readonly Version[]): Promise<boolean> {
  try {
    return (await recognise(store, key, await store.head(key), versions)) !== undefined;
  } catch (error) {
    if (isRefusal(error, 'missing')) return false;
    throw isRefusal(error) ? afterwards(error) : error;
  }
}
