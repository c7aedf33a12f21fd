/**
 * Under which path does each thing live? (§4, table)
 *
 * Keys travel byte-exact: each segment is percent-encoded by itself and the path is sent raw, because URL classes fold `..`
 * away and servers decode `%2F` into a separator.
 */

/** Percent-encodes everything but unreserved characters; also `.` where a segment is only dots, which some proxies fold. */
export function encodeSegment(segment: string): string {
  if (segment === '.' || segment === '..') return segment.replaceAll('.', '%2E');
  return encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A key as a path has it: its slashes kept, each segment encoded by itself. */
export function encodeKey(key: string): string {
  return key.split('/').map(encodeSegment).join('/');
}

/** Raw paths, without query. */
export const routes = {
  buckets: (): string => '/buckets',
  bucket: (bucket: string): string => `/buckets/${encodeSegment(bucket)}`,
  folders: (bucket: string): string => `/buckets/${encodeSegment(bucket)}/folders`,
  visibility: (bucket: string): string => `/buckets/${encodeSegment(bucket)}/visibility`,
  link: (bucket: string): string => `/buckets/${encodeSegment(bucket)}/url`,
  listing: (bucket: string): string => `/${encodeSegment(bucket)}/`,
  object: (bucket: string, key: string): string => `/${encodeSegment(bucket)}/${encodeKey(key)}`,
} as const;
