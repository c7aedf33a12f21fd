/** Which bytes does a Range header ask for? */
import type { ByteRange } from '../base/byte-range.ts';

/** A range; or how many of the last bytes; undefined when the header asks for nothing that one part can answer. */
export function askedRange(header: string | undefined): ByteRange | { readonly last: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '') return last === '' ? undefined : { last: Number(last) };
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return {
    start: Number(first),
    end: last === '' ? Number.MAX_SAFE_INTEGER : Number(last) + 1,
  };
}
