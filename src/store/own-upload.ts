/**
 * Is what the service has now what we stored?
 *
 * Mostly its ETag says so, or its time (version.ts). On a service whose ETags are no MD5 and whose clock tells nothing, only the
 * bytes do: they are fetched and hashed, since taking our own file for somebody else's would refuse every second edit.
 */
import type { ObjectHead } from '../service/records.ts';
import type { BucketStore } from './bucket-store.ts';
import type { Version } from './version.ts';

/**
 * Which of `candidates` the service has under `key`, where a HEAD has just shown `head`; undefined when none. Names the one
 * that it is. Costs a GET only where nothing else can tell; rejects with its refusal.
 */
export async function recognise(
  store: Pick<BucketStore, 'digest' | 'etags'>,
  key: string,
  head: ObjectHead,
  candidates: readonly Version[],
): Promise<Version | undefined> {
  const told = candidates.find((version) => version.matches(head));
  const possible = candidates.filter((version) => version.mayBe(head, store.etags));
  if (told?.own?.md5 === head.etag.toLowerCase()) store.etags.learn(told.own.md5, head.etag);
  if (told !== undefined || possible.length === 0) return told;
  const content = await store.digest(key);
  if (content.head.etag !== head.etag) return undefined;
  // Also of what others have stored: else each look at it would fetch it again.
  store.etags.learnOfBytes(content.md5, head.etag);
  const ours = possible.find((version) => version.own?.md5 === content.md5);
  ours?.takeName(content.head);
  return ours;
}
