/**
 * What does a request line name? (§4)
 *
 * Keys are byte-exact, so nothing but the raw path will do: it is split on `/` first and each segment is then
 * percent-decoded, once. `..`, `.`, empty segments and a trailing `/` are parts of a key like any other.
 */

/** The templates of §4, and those of links (§2.5). */
export type PathName =
  'buckets' | 'bucket' | 'folders' | 'visibility' | 'url' | 'listing' | 'object' | 'public' | 'private';

/** What a request line names. */
export interface Target {
  /** Undefined when no endpoint has such a path. */
  readonly path: PathName | undefined;
  readonly bucket: string;
  readonly key: string;
  readonly query: URLSearchParams;
}

/** Bad percent escapes, or bytes that are not UTF-8. */
export class BadPathError extends Error {
  override readonly name = 'BadPathError';
}

/** The template of a path, decided without decoding. */
export function pathName(rawUrl: string): PathName | undefined {
  const [first = '', second, third, ...more] = rawSegments(rawUrl);
  if (first === 'buckets') {
    if (second === undefined) return 'buckets';
    if (third === undefined) return second === '' ? undefined : 'bucket';
    if (more.length > 0) return undefined;
    return third === 'folders' || third === 'visibility' || third === 'url' ? third : undefined;
  }
  if (first === '' || second === undefined) return undefined;
  if (first === 'public' || first === 'private') return third === undefined ? undefined : first;
  return second === '' && third === undefined ? 'listing' : 'object';
}

/** Throws a `BadPathError`. */
export function parseTarget(rawUrl: string): Target {
  const path = pathName(rawUrl);
  const segments = rawSegments(rawUrl).map(decode);
  const query = parseQuery(rawUrl);
  if (path === undefined || path === 'buckets') return { path, bucket: '', key: '', query };
  if (path === 'listing') return { path, bucket: segments[0] ?? '', key: '', query };
  if (path === 'object') return { path, bucket: segments[0] ?? '', key: segments.slice(1).join('/'), query };
  if (path === 'public' || path === 'private')
    return { path, bucket: segments[1] ?? '', key: segments.slice(2).join('/'), query };
  return { path, bucket: segments[1] ?? '', key: '', query };
}

function rawSegments(rawUrl: string): string[] {
  const path = rawUrl.replace(/^https?:\/\/[^/?]*/i, '').replace(/\?.*$/s, '');
  return path.replace(/^\//, '').split('/');
}

function parseQuery(rawUrl: string): URLSearchParams {
  const query = new URLSearchParams();
  const start = rawUrl.indexOf('?');
  if (start === -1) return query;
  for (const pair of rawUrl.slice(start + 1).split('&')) {
    if (pair === '') continue;
    const [name = '', ...value] = pair.replaceAll('+', ' ').split('=');
    query.append(decode(name), decode(value.join('=')));
  }
  return query;
}

function decode(text: string): string {
  try {
    // Node hands bytes above 127 over as Latin-1.
    const utf8 = /^[\x20-\x7f]*$/.test(text)
      ? text
      : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(text, 'latin1'));
    return decodeURIComponent(utf8);
  } catch (error) {
    throw new BadPathError('the address is not properly percent-encoded UTF-8', { cause: error });
  }
}
