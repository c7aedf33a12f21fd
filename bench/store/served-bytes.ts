/** Which bytes were sent more than once? Counted as they leave the store, whoever asked for them. */
import type { ByteRange } from '../../src/base/byte-range.ts';
import type { Download, GetObjectQuery, ObjectService } from '../../src/service/object-service.ts';
import { InterceptedService } from '../../test/support/intercepted-service.ts';

/** The ranges of files that left since the last look. */
export class ServedBytes {
  #ranges = new Map<string, { readonly start: number; end: number }[]>();

  /** The same download, counted. */
  counted(subject: string, download: Download): Download {
    const range = { start: download.range.start, end: download.range.start };
    const ranges = this.#ranges.get(subject) ?? [];
    ranges.push(range);
    this.#ranges.set(subject, ranges);
    return { ...download, body: countedBody(download.body, (bytes) => (range.end += bytes)) };
  }

  /** How many bytes left that had left before, since the last call. */
  takeRepeated(): number {
    const taken = this.#ranges;
    this.#ranges = new Map();
    return [...taken.values()].reduce((sum, ranges) => sum + repeatedBytes(ranges), 0);
  }
}

/** A service whose downloads are counted. */
export class CountedService extends InterceptedService {
  readonly #served: ServedBytes;

  constructor(inner: ObjectService, served: ServedBytes) {
    super(inner, (_call, proceed) => proceed());
    this.#served = served;
  }

  override async getObject(bucket: string, key: string, query?: GetObjectQuery): Promise<Download> {
    return this.#served.counted(`${bucket}/${key}`, await super.getObject(bucket, key, query));
  }
}

/** How many bytes are in more than one of these ranges, each counted as often as it comes again. */
export function repeatedBytes(ranges: readonly ByteRange[]): number {
  let [repeated, end] = [0, 0];
  for (const range of [...ranges].sort((a, b) => a.start - b.start)) {
    repeated += Math.max(0, Math.min(end, range.end) - range.start);
    end = Math.max(end, range.end);
  }
  return repeated;
}

/** By hand: an async generator takes one more turn a piece. */
function countedBody(
  body: AsyncIterable<Uint8Array>,
  count: (bytes: number) => void,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const pieces = body[Symbol.asyncIterator]();
      return {
        next: async () => {
          const piece = await pieces.next();
          if (piece.done !== true) count(piece.value.length);
          return piece;
        },
        return: async () => (await pieces.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}
