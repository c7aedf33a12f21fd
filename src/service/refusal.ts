/**
 * How does the service say no?
 *
 * Every method of the port rejects with a `Refusal` and with nothing else, whatever went wrong: an answer of the service, the
 * network, a shape that is not in the spec, a deadline. Callers switch on `kind`; nobody matches on text.
 */

/** What a caller can tell apart. */
export type RefusalKind =
  /** 404: what was named does not exist (§4.4, §4.8), or the 400 of Get a link (§4.14). */
  | 'missing'
  /** 401, 403: the credential is missing, wrong or too weak (§5). */
  | 'denied'
  /** 402: the account is in a grace period and uploads are paused (§4.7). */
  | 'paused'
  /** 413: the body is larger than the service takes. */
  | 'too-large'
  /** 507: the service has no space. */
  | 'no-space'
  /** 400 of a listing whose bookmark is not valid (§4.11): start again from the first page. */
  | 'stale-bookmark'
  /** 416, or another refusal of a request only because it carried Range. */
  | 'range-refused'
  /** Another 4xx: the request itself is refused, and would be again. */
  | 'rejected'
  /** 408, 429, 5xx, connection refused, reset or cut, a web page in place of a 404: may pass. Retries are already spent. */
  | 'unavailable'
  /** A deadline of ours passed. */
  | 'timeout'
  /** The answer's shape is not the spec's. */
  | 'malformed'
  /** The caller's signal was aborted. */
  | 'aborted';

/** The operations of the port, one an endpoint of §4. */
export type Operation =
  | 'listBuckets'
  | 'createBucket'
  | 'getBucket'
  | 'deleteBucket'
  | 'createFolder'
  | 'putObject'
  | 'getObject'
  | 'headObject'
  | 'deleteObject'
  | 'listObjects'
  | 'getVisibility'
  | 'setVisibility'
  | 'getLink';

/** What is known of a refusal beside its kind. */
export interface RefusalDetails {
  readonly operation: Operation;
  /** The HTTP status, when there was an answer. */
  readonly status?: number | undefined;
  /** The bucket identifier and key or folder concerned, for the log. */
  readonly subject?: string | undefined;
  /** How long the service asked to be left alone (Retry-After), in milliseconds. */
  readonly retryAfter?: number | undefined;
  /** An earlier try of the same call may have been done, or may still be. */
  readonly followsUnknown?: boolean | undefined;
  /** No try that the service may have done has left: there was no connection, or none was free in time. */
  readonly neverSent?: boolean | undefined;
  /** It came as a web page, which no answer of the interface is (§7): it may be of something that stands in the service's place. */
  readonly isPage?: boolean | undefined;
  readonly cause?: unknown;
}

/** The only thing that the port rejects with. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly kind: RefusalKind;
  /** One line, without the operation. */
  readonly reason: string;
  readonly operation: Operation;
  readonly status: number | undefined;
  readonly subject: string | undefined;
  readonly retryAfter: number | undefined;
  readonly followsUnknown: boolean;
  readonly neverSent: boolean;
  readonly isPage: boolean;

  constructor(kind: RefusalKind, reason: string, details: RefusalDetails) {
    super(
      `${details.operation}: ${reason}`,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.kind = kind;
    this.reason = reason;
    this.operation = details.operation;
    this.status = details.status;
    this.subject = details.subject;
    this.retryAfter = details.retryAfter;
    this.followsUnknown = details.followsUnknown ?? false;
    this.neverSent = details.neverSent ?? false;
    this.isPage = details.isPage ?? false;
  }
}

/** `refusal`, of what was asked after the service had done what it was asked for. */
export function afterwards(refusal: Refusal): Refusal {
  return changed(refusal, { followsUnknown: true });
}

/** `refusal`, of a call of which a try that may be done may have left, or none has. */
export function whenSent(refusal: Refusal, maybeSent: boolean): Refusal {
  return refusal.neverSent === !maybeSent ? refusal : changed(refusal, { neverSent: !maybeSent });
}

/** Whether the service may have done what it was asked, or may still do it, though it did not say so. */
export function isOfUnknownEnd(thrown: unknown): boolean {
  if (!isRefusal(thrown)) return false;
  const isSilent = isRefusal(thrown, 'unavailable', 'timeout', 'malformed');
  return thrown.followsUnknown || (isSilent && !thrown.neverSent);
}

/** Whether it is a refusal; of one of these kinds, when any are given. */
export function isRefusal(thrown: unknown, ...kinds: readonly RefusalKind[]): thrown is Refusal {
  return thrown instanceof Refusal && (kinds.length === 0 || kinds.includes(thrown.kind));
}

function changed(refusal: Refusal, changes: Pick<RefusalDetails, 'followsUnknown' | 'neverSent'>): Refusal {
  const { kind, reason, operation, status, subject, retryAfter, followsUnknown, neverSent, isPage, cause } =
    refusal;
  const details = { operation, status, subject, retryAfter, followsUnknown, neverSent, isPage, cause };
  return new Refusal(kind, reason, { ...details, ...changes });
}
