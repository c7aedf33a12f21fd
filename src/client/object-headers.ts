/** What do the headers of a download tell about the file and about the bytes that follow? (§4.8, §4.9) */
import { byteLength } from '../base/byte-range.ts';
import type { ByteRange } from '../base/byte-range.ts';
import type { ObjectHead } from '../service/records.ts';
import { Refusal } from '../service/refusal.ts';
import type { RefusalDetails } from '../service/refusal.ts';
import { parseHttpDate } from './dates.ts';

/** Names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What the headers of a GET tell (§4.8). */
export interface DownloadHeaders {
  readonly head: ObjectHead;
  /** Which bytes the body holds. */
  readonly range: ByteRange;
  /** Whether nothing tells how long the body is but `range`. */
  readonly isUncounted?: true;
}

const CONTENT_RANGE = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16})$/i;

/** The value of a header that is sent once; undefined when absent or sent more often. */
export function headerOf(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** An entity tag without quotes and without `W/`. */
export function bareEtag(etag: string): string {
  const strong = etag.trim().replace(/^W\//i, '');
  return /^".*"$/.test(strong) ? strong.slice(1, -1) : strong;
}

/** Of a HEAD, or of a GET answered with 200. Throws a `malformed` refusal unless all that the spec promises is there. */
export function decodeObjectHead(headers: AnswerHeaders, details: RefusalDetails): ObjectHead {
  const size = contentLength(headers, details);
  if (size === undefined) throw malformed('Content-Length is missing', details);
  return headOfSize(size, headers, details);
}

/**
 * Of a GET. `asked` is the range that was asked for; a 206 must begin there and not go further. Throws a `malformed` refusal
 * for anything else.
 */
export function decodeDownload(
  status: number,
  headers: AnswerHeaders,
  asked: ByteRange | undefined,
  details: RefusalDetails,
): DownloadHeaders {
  if (status === 206 && asked !== undefined) return decodePart(headers, asked, details);
  if (status !== 200) throw malformed(`the status ${status} is not expected`, details);
  const head = decodeObjectHead(headers, details);
  return { head, range: { start: 0, end: head.size } };
}

function decodePart(headers: AnswerHeaders, asked: ByteRange, details: RefusalDetails): DownloadHeaders {
  const [, first, last, total] = CONTENT_RANGE.exec(headerOf(headers, 'content-range') ?? '') ?? [];
  if (first === undefined || last === undefined || total === undefined) {
    throw malformed('Content-Range is missing or not "bytes first-last/total"', details);
  }
  const range = { start: Number(first), end: Number(last) + 1 };
  const size = Number(total);
  if (range.start !== asked.start || range.end > asked.end || range.end > size || range.end <= range.start) {
    throw malformed('Content-Range is not within what was asked for', details);
  }
  const length = contentLength(headers, details);
  if (length !== undefined && length !== byteLength(range)) {
    throw malformed('Content-Length and Content-Range do not agree', details);
  }
  const head = headOfSize(size, headers, details);
  return length === undefined ? { head, range, isUncounted: true } : { head, range };
}

function headOfSize(size: number, headers: AnswerHeaders, details: RefusalDetails): ObjectHead {
  // Its length and its ranges would be those of the encoded bytes. Sent twice it is an array, and not identity either.
  const encoding = headers['content-encoding'] ?? 'identity';
  if (String(encoding).toLowerCase() !== 'identity') {
    throw malformed('Content-Encoding is not identity', details);
  }
  const etag = bareEtag(headerOf(headers, 'etag') ?? '');
  if (etag === '') throw malformed('ETag is missing', details);
  const lastModified = parseHttpDate(headerOf(headers, 'last-modified'));
  if (lastModified === null) throw malformed('Last-Modified is missing or no date', details);
  return { size, etag, lastModified, contentType: headerOf(headers, 'content-type') ?? null };
}

function contentLength(headers: AnswerHeaders, details: RefusalDetails): number | undefined {
  if (headers['content-length'] === undefined) return undefined;
  const text = headerOf(headers, 'content-length') ?? '';
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(Number(text))) {
    throw malformed('Content-Length is not a count of bytes', details);
  }
  return Number(text);
}

function malformed(reason: string, details: RefusalDetails): Refusal {
  return new Refusal('malformed', `the answer's headers: ${reason}`, details);
}
