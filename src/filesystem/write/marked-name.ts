/** How does a name get a mark before its extension, and stay one that a directory can have? */
import { MAX_NAME_BYTES } from '../../store/keys.ts';

/** A longer one is hardly what programs know a file by, and would leave no room for the rest. Bytes. */
const LONGEST_EXTENSION = 32;

/** `name` with ` (mark)` before its extension; at most as long as names may be: the part before the mark is cut for it. */
export function markedName(name: string, mark: string): string {
  const extension = extensionOf(name);
  const stem = name.slice(0, name.length - extension.length);
  const end = ` (${mark})${extension}`;
  return cutToBytes(stem, MAX_NAME_BYTES - Buffer.byteLength(end)) + end;
}

function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 ? name.slice(dot) : '';
  return Buffer.byteLength(extension) <= LONGEST_EXTENSION ? extension : '';
}

/** Never through the middle of a character. */
function cutToBytes(text: string, limit: number): string {
  let bytes = 0;
  let kept = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > limit) break;
    kept += character;
  }
  return kept;
}
