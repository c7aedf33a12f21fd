/** What type is a file, as far as its name and its history tell? */
import mime from 'mime';
import type { OpenFile, Wishes } from '../open-file.ts';

/** What a name without a known extension says: nothing. */
const UNKNOWN_TYPE = 'application/octet-stream';

/** The MIME type that the name's extension stands for; `application/octet-stream` for any other name. */
export function contentTypeOf(path: string): string {
  return mime.getType(path) ?? UNKNOWN_TYPE;
}

/** What the file's draft will be stored as. */
export function contentTypeFor(
  file: OpenFile,
  { contentType, basis }: Pick<Readonly<Wishes>, 'contentType' | 'basis'> = file.wishes,
): string {
  if (contentType !== null) return contentType;
  // An edit in place is of the same type as before; a file written anew, or from nothing, is what its name says.
  const isOfBefore = basis === 'edit' && file.version?.size !== 0;
  const known = isOfBefore ? file.version?.contentType : typeOfEmpty(file);
  return known ?? contentTypeOf(file.path);
}

/** What to wish so that the file's draft is stored as its name says: nothing where it would be, since it may yet be renamed. */
export function wishForTypeOfName(file: OpenFile): string | null {
  const { wishes, path } = file;
  const type = contentTypeOf(path);
  return contentTypeFor(file, { contentType: null, basis: wishes.basis }) === type ? null : type;
}

/** Programs make a file, set its type, and write it then; in between it may have been stored, empty. */
function typeOfEmpty({ version }: OpenFile): string | undefined {
  return version?.size === 0 ? version.own?.contentType : undefined;
}
