/** Where is the service? The base URL, taken apart without the URL class's normalising, which would fold `..` away. */

/** The base URL cannot be used; the message says why in one line and never repeats the URL, which may hold a password. */
export class BaseUrlError extends Error {
  override readonly name = 'BaseUrlError';
}

/** The base URL, ready to be put before raw paths. */
export interface BaseUrl {
  /** Scheme, host and port; for example `https://storage.example:8443`. */
  readonly origin: string;
  /** What goes before every path; empty, or begins with `/` and does not end with one. */
  readonly prefix: string;
}

const SHAPE = /^(https?:\/\/[^/?#\\]+)((?:\/[^?#]*)?)$/i;
const PRINTABLE_ASCII = /^[\x21-\x7e]*$/;

/** Throws a `BaseUrlError` unless `text` is an http or https URL without query, fragment, user or password. */
export function parseBaseUrl(text: string): BaseUrl {
  if (!/^https?:\/\//i.test(text)) {
    throw new BaseUrlError('the base URL must begin with http:// or https://');
  }
  const [, authority, path] = SHAPE.exec(text) ?? [];
  if (authority === undefined || path === undefined) {
    throw new BaseUrlError('the base URL must be scheme, host and path, without query or fragment');
  }
  if (!URL.canParse(authority)) throw new BaseUrlError('the host or port of the base URL is not valid');
  if (authority.includes('@')) {
    throw new BaseUrlError('the base URL must not contain a user name or password');
  }
  if (!PRINTABLE_ASCII.test(path)) {
    throw new BaseUrlError('the path of the base URL must be percent-encoded');
  }
  return { origin: new URL(authority).origin, prefix: path.replace(/\/+$/, '') };
}
