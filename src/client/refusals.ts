/** Which refusal is this status, this fault of the network, this thrown thing? */
import { errors } from 'undici';
import { systemErrorCode, systemWords } from '../base/errors.ts';
import { isRefusal, Refusal } from '../service/refusal.ts';
import { ProxyFault } from './proxy-fault.ts';
import type { Operation, RefusalDetails, RefusalKind } from '../service/refusal.ts';

/** How much of the service's own words goes into a reason. */
const MAX_TEXT_LENGTH = 200;
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu;

const KINDS: Readonly<Record<number, RefusalKind>> = {
  401: 'denied',
  402: 'paused',
  403: 'denied',
  404: 'missing',
  // 408 and 429 are 4xx only by number: they pass.
  408: 'unavailable',
  413: 'too-large',
  429: 'unavailable',
  507: 'no-space',
};

/** What was asked, as far as the meaning of a status depends on it. */
export interface Asked {
  readonly operation: Operation;
  /** A bookmark was sent. */
  readonly sentPage?: boolean;
  /** A Range was sent. */
  readonly sentRange?: boolean;
}

/** What a status came with. */
export interface AnsweredWith {
  readonly status: number;
  /** It was a web page (`Refusal.isPage`). */
  readonly isPage: boolean;
}

/** The kind of an answer that is not 2xx. */
export function kindOfStatus(asked: Asked, { status, isPage }: AnsweredWith): RefusalKind {
  // That of a HEAD may be the service's own, without a body: a GET tells (http-service.ts).
  if (status === 404 && isPage && asked.operation !== 'headObject') return 'unavailable';
  if (status === 400 && asked.sentPage === true) return 'stale-bookmark';
  if (status === 400 && asked.operation === 'getLink') return 'missing';
  if (status === 416 && asked.sentRange === true) return 'range-refused';
  return KINDS[status] ?? (status >= 500 ? 'unavailable' : 'rejected');
}

/** One line about an answer that is not 2xx; `document` is its body if that was JSON. */
export function reasonOfStatus(
  { status, isPage }: AnsweredWith,
  document: unknown,
  redact: (text: string) => string,
): string {
  // Nobody asks whether anything has changed.
  if (status === 304) return 'the service answered 304, which nobody asked for';
  if (status >= 300 && status < 400) {
    return `the service answered ${status}, a redirect, which is never followed: is the base URL right?`;
  }
  if (status === 404 && isPage)
    return 'the service answered 404 with a web page, as what stands in its place would: is the base URL right?';
  const text = errorText(document);
  return text === null
    ? `the service answered ${status}`
    : `the service answered ${status}: ${printable(redact(text))}`;
}

/** Both shapes of §7: `{error}` of the file endpoints and `{message}` of the others. */
function errorText(document: unknown): string | null {
  if (typeof document !== 'object' || document === null) return null;
  if ('error' in document && typeof document.error === 'string') return document.error;
  if ('message' in document && typeof document.message === 'string') return document.message;
  return null;
}

function printable(text: string): string {
  const line = text.replace(UNPRINTABLE, ' ').trim();
  return line.length > MAX_TEXT_LENGTH ? `${line.slice(0, MAX_TEXT_LENGTH)}…` : line;
}

/** The refusal that stands for whatever undici, the network or our own streams threw. */
export function refusalOf(thrown: unknown, details: RefusalDetails): Refusal {
  if (isRefusal(thrown)) return thrown;
  // Without it as cause: it holds the bytes that came, which belong in no log.
  if (thrown instanceof errors.HTTPParserError)
    return new Refusal('malformed', 'the answer is not HTTP', details);
  const code = systemErrorCode(thrown) ?? 'unknown fault';
  const caused = { ...details, cause: thrown };
  switch (code) {
    case 'UND_ERR_CONNECT_TIMEOUT':
      return new Refusal('timeout', 'no connection to the service in time', caused);
    case 'UND_ERR_DESTROYED':
    case 'UND_ERR_CLOSED':
      return new Refusal('aborted', 'the client was closed', caused);
    case 'UND_ERR_INVALID_ARG':
      return new Refusal('rejected', 'the request cannot be expressed in HTTP', caused);
    case 'UND_ERR_HEADERS_OVERFLOW':
      return new Refusal('malformed', 'the headers of the answer are too large', caused);
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return new Refusal('unavailable', 'the answer was not as long as it said', caused);
    default:
      return new Refusal('unavailable', `no answer from the service (${faultWords(thrown)})`, caused);
  }
}

/** What happened to a connection, for a person. */
export function faultWords(thrown: unknown): string {
  if (thrown instanceof ProxyFault) return thrown.message;
  const code = systemErrorCode(thrown) ?? 'unknown fault';
  if (code === 'UND_ERR_SOCKET') return 'the connection was cut';
  const [, fault] = /^ERR_SSL_(.*)$/.exec(code) ?? [];
  // It quotes the sources of OpenSSL otherwise.
  if (fault !== undefined) return `TLS: ${fault.replaceAll('_', ' ').toLowerCase()}`;
  return systemWords(thrown) ?? code;
}

/** `late`, which a new connection may mend: to be tried again as what the kernel says of such a connection in a quarter of an hour. */
export function ofDeadConnection({ kind, reason, operation, subject }: Refusal): Refusal {
  const cause = Object.assign(new Error('the connection is silent'), { code: 'ETIMEDOUT' });
  return new Refusal(kind, reason, { operation, subject, cause });
}
