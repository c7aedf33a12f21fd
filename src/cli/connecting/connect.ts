/** Does the service let us in, and which bucket is meant? Each "no" is one line that names the remedy. */
import { randomUUID } from 'node:crypto';
import { systemClock, type Clock } from '../../base/clock.ts';
import { inWords, systemErrorCode } from '../../base/errors.ts';
import { RunningClock } from '../../base/running-clock.ts';
import type { ObjectService } from '../../service/object-service.ts';
import type { Bucket } from '../../service/records.ts';
import { isRefusal } from '../../service/refusal.ts';
import { EndlessListing, listAccountBuckets, type AccountBuckets } from '../../store/account-buckets.ts';
import { CommandError, exitCodes, oneLine } from '../command-error.ts';

/** For all requests before the mount together, of time in which this process could run: a person waits. */
const CHECK_DEADLINE_MS = 30_000;
const NAMES_SHOWN = 10;

export interface BucketSearch {
  readonly service: ObjectService;
  /** Identifier or name. */
  readonly wanted: string;
  /** For the text of an error. */
  readonly baseUrl: string;
  /** Gives the search up. */
  readonly signal?: AbortSignal | undefined;
  /** When absent: the machine's. */
  readonly clock?: Clock;
}

/** What OpenSSL and Node call a certificate that does not prove who the service is. */
const UNTRUSTED =
  /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA)/;
/** What OpenSSL makes of an answer in plain HTTP. */
const NO_TLS = 'ERR_SSL_WRONG_VERSION_NUMBER';

/** The bucket of that identifier, else of that name. Rejects with a `CommandError`. */
export async function findBucket(search: BucketSearch): Promise<Bucket> {
  const { wanted, baseUrl } = search;
  const { buckets } = await listAllBuckets(search);
  const found =
    buckets.find((bucket) => bucket.bucket === wanted) ?? buckets.find((bucket) => bucket.name === wanted);
  if (found !== undefined) return found;
  const names = buckets.slice(0, NAMES_SHOWN).map((bucket) => bucket.name);
  if (buckets.length > names.length) names.push(`${buckets.length - names.length} more`);
  const there = names.length === 0 ? 'this account has none' : `this account has ${names.join(', ')}`;
  throw new CommandError(exitCodes.failed, `there is no bucket ${wanted} at ${baseUrl}: ${there}`);
}

/** All pages. Rejects with a `CommandError`. */
export async function listAllBuckets(search: Omit<BucketSearch, 'wanted'>): Promise<AccountBuckets> {
  const { service, baseUrl } = search;
  try {
    return await inTime(search, (signal) => listAccountBuckets(service, { signal }));
  } catch (error) {
    if (error instanceof EndlessListing) {
      const line = `the service at ${baseUrl} lists buckets without end: check --base-url`;
      throw new CommandError(exitCodes.failed, line, { cause: error });
    }
    throw explainRefusal(error, baseUrl);
  }
}

/** What is wrong with the service's certificate; undefined when `error` is not about that. */
export function untrustedLine(error: unknown, baseUrl: string): string | undefined {
  const code = systemErrorCode(error);
  if (code === undefined || !UNTRUSTED.test(code)) return undefined;
  return `the service at ${baseUrl} is not believed: its certificate is not trusted (${code}): check --base-url, or name its authority with --ca-file`;
}

function explainRefusal(error: unknown, baseUrl: string): CommandError {
  const cause = { cause: error };
  const fail = (line: string): CommandError => new CommandError(exitCodes.failed, line, cause);
  if (isRefusal(error, 'denied')) {
    return fail(
      `the service at ${baseUrl} refuses the credentials (${error.status ?? 'denied'}): check PAILFS_ACCESS_KEY_ID and PAILFS_SECRET_ACCESS_KEY, the config file, or what the credentials file or command gives`,
    );
  }
  if (isRefusal(error, 'missing', 'rejected', 'malformed')) {
    const status = error.status === undefined ? '' : ` (status ${error.status})`;
    return fail(`${baseUrl} answers, but not like an object storage service${status}: check --base-url`);
  }
  if (isRefusal(error, 'aborted', 'timeout')) {
    return fail(`the service at ${baseUrl} does not answer in time: check the network and --base-url`);
  }
  const untrusted = isRefusal(error) ? untrustedLine(error.cause, baseUrl) : undefined;
  if (untrusted !== undefined) return fail(untrusted);
  if (isRefusal(error) && systemErrorCode(error.cause) === NO_TLS) {
    return fail(`${baseUrl} answers, but speaks no TLS: check whether --base-url begins with http://`);
  }
  return fail(
    `the service at ${baseUrl} is not available (${oneLine(isRefusal(error) ? error.reason : inWords(error))}): try again later, or check --base-url`,
  );
}

/**
 * Whether the credential may write. The spec has no way to ask (§5), so a file that cannot exist is deleted, which changes
 * nothing (§4.10). Anything but a clear refusal counts as yes: the first real write will tell.
 */
export async function mayWrite(
  service: ObjectService,
  bucket: Bucket,
  giveUp?: AbortSignal,
): Promise<boolean> {
  const key = `.pailfs-probe-${randomUUID()}`;
  try {
    await inTime({ signal: giveUp }, (signal) => service.deleteObject(bucket.bucket, key, { signal }));
    return true;
  } catch (error) {
    return !isRefusal(error, 'denied');
  }
}

/** Settles as `ask`, whose signal is aborted at the deadline, or when the start is given up. */
async function inTime<Answer>(
  { signal, clock = systemClock }: Pick<BucketSearch, 'signal' | 'clock'>,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const late = new AbortController();
  const cancel = RunningClock.of(clock).after(CHECK_DEADLINE_MS, () => {
    late.abort();
  });
  try {
    return await ask(signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]));
  } finally {
    cancel();
  }
}
