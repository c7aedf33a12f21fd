/**
 * Is it worth trying again, and when?
 *
 * p-retry runs the loop; the waits are ours, because they honour Retry-After, end with the call's deadline, and go by the
 * injected clock.
 */
import pRetry from 'p-retry';
import { systemErrorCode } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { isRefusal } from '../service/refusal.ts';
import type { Refusal } from '../service/refusal.ts';
import { parseHttpDate } from './dates.ts';
import { ProxyFault } from './proxy-fault.ts';

/** How often, and after which waits, a request is tried again. */
export interface RetryPolicy {
  /** How many tries may follow the first. */
  readonly retries: number;
  /** The wait before the second try, in milliseconds; it doubles from try to try. Jitter takes up to half of it away. */
  readonly firstWait: number;
  /** The longest wait of our own choice, in milliseconds. Retry-After may ask for more. */
  readonly longestWait: number;
}

/** What a mount uses unless told otherwise. */
export const DEFAULT_RETRY: RetryPolicy = { retries: 5, firstWait: 250, longestWait: 8_000 };

/** The circumstances of one call. */
export interface RetryTerms {
  readonly policy: RetryPolicy;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  /** Waits so many milliseconds; resolves with whether another try is wanted then. Rejects with the refusal when the call is given up. */
  readonly pause: (milliseconds: number) => Promise<boolean>;
  /** Milliseconds left for waits and further tries. */
  readonly left: () => number;
}

const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Faults of the way to the service. Names that do not resolve and certificates that do not fit are no passing faults. */
const PASSING_CODES: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_SOCKET',
]);

/** What is kept for the last try when Retry-After asks for more than what is left: a capped wait without a try is lost. */
const LAST_TRY_RESERVE = 5_000;

/** The result of the first `attempt` that succeeds; rejects with the last refusal, or with the signal's reason. */
export function retrying<Result>(attempt: () => Promise<Result>, terms: RetryTerms): Promise<Result> {
  let malformedAnswers = 0;
  return pRetry(attempt, {
    retries: terms.policy.retries,
    minTimeout: 0,
    shouldRetry: async ({ error, retriesConsumed }) => {
      if (!isRefusal(error)) return false;
      if (error.kind === 'malformed') malformedAnswers += 1;
      const worthwhile = error.kind === 'malformed' ? malformedAnswers === 1 : isPassing(error);
      const wait = worthwhile ? nextWait(error, retriesConsumed, terms) : null;
      if (wait === null) return false;
      terms.log.debug('A request is tried again', { ...describe(error), wait });
      return (await terms.pause(wait)) && terms.left() > 0;
    },
  });
}

function isPassing(refusal: Refusal): boolean {
  const { cause } = refusal;
  // A web page in place of the service's own word: while it is exchanged for a newer one, say.
  if (refusal.status === 404) return refusal.kind === 'unavailable';
  const status = refusal.status ?? (cause instanceof ProxyFault ? cause.status : undefined);
  if (status !== undefined) return PASSING_STATUSES.has(status);
  return PASSING_CODES.has(systemErrorCode(cause) ?? '');
}

/** Milliseconds, or null when there is no time for another try. */
function nextWait(refusal: Refusal, retriesConsumed: number, terms: RetryTerms): number | null {
  const { policy, random } = terms;
  const backoff = Math.min(policy.longestWait, policy.firstWait * 2 ** retriesConsumed) * (1 - random() / 2);
  const left = terms.left();
  if (refusal.retryAfter === undefined) return backoff < left ? backoff : null;
  const wanted = Math.max(refusal.retryAfter, backoff);
  const wait = Math.min(wanted, left - LAST_TRY_RESERVE);
  if (wait > 0) return wait;
  return wanted < left ? wanted : null;
}

function describe(refusal: Refusal): Record<string, unknown> {
  const { operation, subject, kind, status, message } = refusal;
  return { operation, subject, kind, status, reason: message };
}

/** Retry-After (seconds or an HTTP date) in milliseconds from `now`; undefined when absent or neither. */
export function parseRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = parseHttpDate(text);
  return date === null ? undefined : Math.max(0, date.getTime() - now);
}
