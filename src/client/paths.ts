/** Which raw path asks for this thing? The routes of the service, guarded against names that would ask for another thing. */
import { encodeSegment, routes } from '../service/routes.ts';

/** A name that cannot be put into a path. */
export class UnusableNameError extends Error {
  override readonly name = 'UnusableNameError';
}

/** An empty identifier would make `DELETE /buckets/` of a deletion, and an empty key a deletion of the bucket's own path. */
function used(bucket: string): string {
  if (bucket === '') throw new UnusableNameError('the bucket identifier is empty');
  return bucket;
}

/** Throws for an empty key, and for a bucket called `buckets`, whose objects' paths are those of the buckets themselves. */
export function objectPath(bucket: string, key: string): string {
  if (key === '') throw new UnusableNameError('the key is empty');
  return routes.object(notTheBuckets(bucket), key);
}

/** §4.11. Throws an `UnusableNameError` as `objectPath` does. */
export function listingPath(
  bucket: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  return withQuery(routes.listing(notTheBuckets(bucket)), query);
}

/** §4.2, §4.3 */
export const bucketsPath = (query: Readonly<Record<string, string | number | undefined>>): string =>
  withQuery(routes.buckets(), query);
export const bucketPath = (bucket: string): string => routes.bucket(used(bucket));
export const foldersPath = (bucket: string): string => routes.folders(used(bucket));
export const linkPath = (bucket: string): string => routes.link(used(bucket));
export const visibilityPath = (bucket: string, key?: string): string =>
  withQuery(routes.visibility(used(bucket)), { key });

function notTheBuckets(bucket: string): string {
  if (bucket === 'buckets') throw new UnusableNameError('no bucket can have the identifier "buckets"');
  return used(bucket);
}

/** Percent-encodes everything, so that bookmarks with `+`, `/` and `=` come back as sent (§4.11 rule 5). */
function withQuery(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeSegment(String(value))}`],
  );
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}
