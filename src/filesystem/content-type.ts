/** What type is a file, as far as its name tells? */
import mime from 'mime';

/** What a name without a known extension says: nothing. */
const UNKNOWN_TYPE = 'application/octet-stream';

export function contentTypeOf(path: string): string {
  return mime.getType(path) ?? UNKNOWN_TYPE;
}
