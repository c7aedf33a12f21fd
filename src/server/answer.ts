/** What goes back to whoever asked? An answer before it is sent, so that faults can still be put into it. */
import { isRefusal, type Refusal } from '../service/refusal.ts';
import type { Envelope, RefusalDocument, SimpleErrorDocument } from '../service/wire.ts';

/** §7: file endpoints answer bare documents and `{error}`, all others envelopes and `{message, status}`. */
export type Family = 'management' | 'file';

/** Status, headers and body. Who gets one with bytes in it must read or close them. */
export interface Answer {
  readonly status: number;
  /** Lower case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, or the bytes of a file; null for none. */
  readonly body: string | AsyncIterable<Uint8Array> | null;
}

/** A bare document (§4.1, last sentence). */
export function jsonAnswer(status: number, document: object): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(document),
  };
}

/** §4.1 */
export function envelope(status: number, message: string, data: object = {}): Answer {
  const document: Envelope<object> = { message, status, data };
  return jsonAnswer(status, document);
}

/** An error in the shape of its family (§7). */
export function errorAnswer(family: Family, status: number, text: string): Answer {
  const simple: SimpleErrorDocument = { error: text };
  const refusal: RefusalDocument = { message: text, status };
  return jsonAnswer(status, family === 'file' ? simple : refusal);
}

/** `oldToken`: the bookmark came as `token`, whose text differs (§4.11). */
export function refusalAnswer(family: Family, thrown: unknown, oldToken: boolean): Answer {
  if (!isRefusal(thrown)) return errorAnswer(family, 500, 'internal error');
  const text = textOf(thrown, oldToken);
  // §4.14 shows this one without a status in it.
  if (thrown.operation === 'getLink' && thrown.kind === 'missing' && thrown.status === 400)
    return jsonAnswer(400, { message: text });
  const answer = errorAnswer(family, statusOf(thrown), text);
  if (thrown.retryAfter === undefined) return answer;
  const seconds = String(Math.ceil(thrown.retryAfter / 1000));
  return { ...answer, headers: { ...answer.headers, 'retry-after': seconds } };
}

function textOf(refusal: Refusal, oldToken: boolean): string {
  if (refusal.kind !== 'stale-bookmark') return refusal.message.replace(`${refusal.operation}: `, '');
  return oldToken
    ? 'The page token is not valid. Use the next_token of the previous response.'
    : 'The page is not valid. Use the next_page of the previous response.';
}

/** The way back from the kinds of refusal.ts. */
function statusOf(refusal: Refusal): number {
  switch (refusal.kind) {
    case 'missing':
      return refusal.status ?? (refusal.operation === 'getLink' ? 400 : 404);
    case 'denied':
      return refusal.status ?? 403;
    case 'paused':
      return 402;
    case 'too-large':
      return 413;
    case 'no-space':
      return 507;
    case 'stale-bookmark':
      return 400;
    case 'range-refused':
      return 416;
    case 'rejected':
      return refusal.status ?? 400;
    case 'unavailable':
    case 'aborted':
      return refusal.status ?? 503;
    case 'timeout':
      return 504;
    case 'malformed':
      return 502;
  }
}
