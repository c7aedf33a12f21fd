/**
 * Does a file stay as visible as a program was told, when a request whose end nobody knows may be done after that? A late publication
 * would make a private file public, a late upload a public one private. A look tells whether it has been: then it is set again.
 */
import type { CallOptions } from '../service/object-service.ts';
import { afterwards, isOfUnknownEnd, isRefusal, Refusal } from '../service/refusal.ts';
import type { Visibility, VisibilityRecord } from '../service/records.ts';
import type { BucketStore } from './bucket-store.ts';
import { recognise } from './own-upload.ts';

/** How often it is set again. As many late requests in a row are no accident any more. */
const MOST_REPEATS = 3;

/**
 * Sets who may fetch the file under `key`; `public` again, and by further tries, only as long as that is meant. Without a request of unknown
 * end it costs one request. Rejects with a refusal.
 */
export async function setVisibility(
  store: BucketStore,
  key: string,
  wanted: Visibility,
  options?: CallOptions,
): Promise<VisibilityRecord> {
  if (wanted === 'public') {
    const record = await publishOnce(store, key, options);
    return store.late.uploadsOf(key).length > 0 ? untilPublic(store, key, options) : record;
  }
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
  const record = await lasting(store, key, 'private', () => store.setVisibility(key, 'private'));
  store.late.forgetPublication(key);
  return record;
}

/**
 * The late upload may have brought other bytes than those that were to be public: after the publication, or before it was done. It may come
 * later yet: whoever stores the key next looks for it.
 */
async function untilPublic(
  store: BucketStore,
  key: string,
  options: CallOptions | undefined,
): Promise<VisibilityRecord> {
  const isMeant = async (): Promise<boolean> => (await options?.isStillMeant?.()) !== false;
  const record = await lasting(store, key, 'public', async () => {
    if (!(await isMeant())) throw cameAfter(key, 'an earlier upload');
    await publishOnce(store, key, options);
  });
  if (await isMeant()) return record;
  if (await isLate(store, key)) await store.setVisibility(key, 'private');
  throw cameAfter(key, 'an earlier upload');
}

/** Whether what is stored under `key` came by an upload of ours whose end nobody knew: it was not to be public. */
async function isLate(store: BucketStore, key: string): Promise<boolean> {
  return (await recognise(store, key, await store.head(key), store.late.uploadsOf(key))) !== undefined;
}

/** Looks whether `key` is as `wanted`, which it was set to, and has it set `again` where not. */
async function lasting(
  store: BucketStore,
  key: string,
  wanted: Visibility,
  again: () => Promise<unknown>,
): Promise<VisibilityRecord> {
  try {
    for (let repeats = 0; repeats <= MOST_REPEATS; repeats += 1) {
      const now = await store.visibility(key);
      if (now.visibility === wanted) return now;
      await again();
    }
  } catch (error) {
    throw isRefusal(error) ? afterwards(error) : error;
  }
  throw cameAfter(key, 'earlier requests, again and again,');
}

function cameAfter(key: string, what: string): Refusal {
  const reason = `${what} came after it was made public or private`;
  return new Refusal('unavailable', reason, { operation: 'setVisibility', subject: key });
}
