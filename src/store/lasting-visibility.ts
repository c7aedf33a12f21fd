/**
 * Does a file stay private that a program was told is private, when a request to make it public, whose end nobody knows, may be done
 * after that? A look tells whether it has been: then the file is made private again.
 */
import type { CallOptions } from '../service/object-service.ts';
import { isOfUnknownEnd, Refusal } from '../service/refusal.ts';
import type { Visibility, VisibilityRecord } from '../service/records.ts';
import type { BucketStore } from './bucket-store.ts';

/** How often it is made private again. As many late requests in a row are no accident any more. */
const MOST_REPEATS = 3;

/** Sets who may fetch the file under `key`; `public` by further tries only as long as that is meant. Without a request of unknown end it costs one request. Rejects with a refusal. */
export async function setVisibility(
  store: BucketStore,
  key: string,
  wanted: Visibility,
  options?: CallOptions,
): Promise<VisibilityRecord> {
  if (wanted === 'public') return publishOnce(store, key, options);
  const record = await store.setVisibility(key, wanted);
  return store.late.mayBePublished(key) ? untilPrivate(store, key) : record;
}

async function publishOnce(
  store: BucketStore,
  key: string,
  options: CallOptions | undefined,
): Promise<VisibilityRecord> {
  try {
    return await store.setVisibility(key, 'public', options);
  } catch (error) {
    if (isOfUnknownEnd(error)) store.late.addPublication(key);
    throw error;
  }
}

async function untilPrivate(store: BucketStore, key: string): Promise<VisibilityRecord> {
  for (let repeats = 0; repeats <= MOST_REPEATS; repeats += 1) {
    const now = await store.visibility(key);
    if (now.visibility === 'private') {
      store.late.forgetPublication(key);
      return now;
    }
    await store.setVisibility(key, 'private');
  }
  const reason = 'earlier requests to make it public came after it again and again';
  throw new Refusal('unavailable', reason, { operation: 'setVisibility', subject: key });
}
