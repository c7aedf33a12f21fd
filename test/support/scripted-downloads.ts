/** A service that only knows downloads, of one file, and treats Range and bodies as a test says. */
import type { ByteRange } from '../../src/base/byte-range.ts';
import type { Download, GetObjectQuery } from '../../src/service/object-service.ts';
import type { ObjectHead } from '../../src/service/records.ts';
import { Refusal, type RefusalKind } from '../../src/service/refusal.ts';

export type RangeTreatment = 'honoured' | 'ignored' | 'refused';

/** One GET that was asked for. */
export interface RecordedGet {
  /** Null: without Range. */
  readonly range: ByteRange | null;
  readonly key: string;
  /** Bytes that left the body. */
  sent: number;
  /** Whether the body was left before its end, or before its beginning. */
  closed: boolean;
}

export class ScriptedDownloads {
  /** Oldest first. */
  readonly gets: RecordedGet[] = [];
  treatment: RangeTreatment = 'honoured';
  /** Most bytes of an answer to a Range; 0 for no limit. */
  shortenTo = 0;
  /** What an answer to a Range holds, whatever was asked for; null for what was. */
  instead: ByteRange | null = null;
  /** Whether answers to a Range announce no length. */
  isUncounted = false;
  /** Bytes of a chunk. */
  chunk = 64 * 1024;
  /** Bytes after which the coming bodies are cut, one number a GET; null for a body that is complete. */
  cuts: (number | null)[] = [];
  cutKind: RefusalKind = 'unavailable';
  /** Bodies stop before this byte of the file until `resume`. */
  holdAt = Infinity;
  /** Refusals of the coming GETs themselves, one a GET. */
  refusals: (RefusalKind | null)[] = [];

  #content: Uint8Array;
  #etag: string;
  #waiting: (() => void)[] = [];

  constructor(content: Uint8Array, etag = 'first') {
    this.#content = content;
    this.#etag = etag;
  }

  /** Somebody else's upload. */
  replace(content: Uint8Array, etag: string): void {
    this.#content = content;
    this.#etag = etag;
  }

  resume(): void {
    this.holdAt = Infinity;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Bytes that left all bodies together. */
  get sent(): number {
    return this.gets.reduce((sum, get) => sum + get.sent, 0);
  }

  /** What was asked for, as `start-end` or `whole`. */
  get asked(): string[] {
    return this.gets.map(({ range }) => (range === null ? 'whole' : `${range.start}-${range.end}`));
  }

  sentOf(key: string): number {
    return this.gets.reduce((sum, get) => sum + (get.key === key ? get.sent : 0), 0);
  }

  /** As `asked`, of one key. */
  askedOf(key: string): string[] {
    return this.asked.filter((_, index) => this.gets[index]?.key === key);
  }

  async getObject(_bucket: string, key: string, query: GetObjectQuery = {}): Promise<Download> {
    const get: RecordedGet = { range: query.range ?? null, key, sent: 0, closed: false };
    this.gets.push(get);
    await Promise.resolve();
    const refusal = this.refusals.shift() ?? null;
    if (refusal !== null) throw refuse(refusal, key);
    if (query.signal?.aborted === true) throw refuse('aborted', key);
    const content = this.#content;
    const whole = { start: 0, end: content.length };
    let range = whole;
    if (query.range !== undefined && this.treatment !== 'ignored') {
      if (this.treatment === 'refused' || query.range.start >= content.length)
        throw refuse('range-refused', key);
      range = { start: query.range.start, end: Math.min(query.range.end, content.length) };
      if (this.shortenTo > 0) range = { ...range, end: Math.min(range.end, range.start + this.shortenTo) };
      range = this.instead ?? range;
    }
    const head: ObjectHead = {
      size: content.length,
      etag: this.#etag,
      lastModified: new Date(0),
      contentType: null,
    };
    const body = leavable(get, this.#body(content, range, { get, key, signal: query.signal }));
    return { head, range, body, isUncounted: query.range !== undefined && this.isUncounted };
  }

  async *#body(
    content: Uint8Array,
    range: ByteRange,
    call: { readonly get: RecordedGet; readonly key: string; readonly signal: AbortSignal | undefined },
  ): AsyncGenerator<Uint8Array> {
    const cut = this.cuts.shift() ?? null;
    const until = cut === null ? range.end : Math.min(range.end, range.start + cut);
    let complete = false;
    try {
      for (let start = range.start; start < until;) {
        // An abort that came while the last chunk was being kept is not told of again.
        if (start >= this.holdAt && call.signal?.aborted !== true) await this.#held(call.signal);
        if (call.signal?.aborted === true) throw refuse('aborted', call.key);
        const end = Math.min(until, start + this.chunk, start < this.holdAt ? this.holdAt : Infinity);
        call.get.sent += end - start;
        yield content.subarray(start, end);
        start = end;
      }
      if (cut !== null) throw refuse(this.cutKind, call.key);
      complete = true;
    } finally {
      call.get.closed = !complete;
    }
  }

  #held(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      signal?.addEventListener('abort', () => {
        resolve();
      });
    });
  }
}

/** A generator that has not begun runs nothing when it is left. */
function leavable(get: RecordedGet, body: AsyncGenerator<Uint8Array>): AsyncIterableIterator<Uint8Array> {
  let hasBegun = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => {
      hasBegun = true;
      return body.next();
    },
    return: () => {
      if (!hasBegun) get.closed = true;
      return body.return(undefined);
    },
  };
}

function refuse(kind: RefusalKind, key: string): Refusal {
  return new Refusal(kind, 'as the test asked', { operation: 'getObject', subject: key });
}
