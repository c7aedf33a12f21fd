/** What does a line for debugging say of one try of a request? What was asked, what came of it, and how long that took. */
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Refusal } from '../service/refusal.ts';
import type { Ask } from './ask.ts';
import type { AnswerHeaders } from './object-headers.ts';
import { headerOf } from './object-headers.ts';

export interface Tried {
  readonly ask: Ask;
  /** When it began, monotonic milliseconds. */
  readonly since: number;
  /** Null when none has begun. */
  readonly answer: { readonly status: number; readonly headers: AnswerHeaders } | null;
  /** Null when it succeeded. */
  readonly refusal: Refusal | null;
}

/** Writes nothing of headers and bodies but their lengths: credentials and links are in them. */
export function logTry(
  { log, clock }: { readonly log: Log; readonly clock: Clock },
  { ask, since, answer, refusal }: Tried,
): void {
  // Every request passes here.
  if (log.hidesDebug === true) return;
  const { operation, method, subject, upload } = ask;
  const length =
    answer === null || method === 'HEAD' ? undefined : headerOf(answer.headers, 'content-length');
  log.debug(refusal === null ? 'A request was answered' : 'A request failed', {
    operation,
    subject,
    ...(answer !== null && { status: answer.status }),
    ...(refusal !== null && { reason: refusal.reason }),
    milliseconds: Math.round(clock.monotonic() - since),
    ...(upload !== undefined && { sent: upload.size }),
    ...(length !== undefined && { received: Number(length) }),
  });
}
