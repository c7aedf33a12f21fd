/**
 * Is the service there, who are we to it, and what can it do? Asked by reading alone: whatever `pailfs doctor` finds, it leaves the
 * service as it was.
 */
import { byteLength } from '../../base/byte-range.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { faultWords } from '../../client/refusals.ts';
import { lookAtService, type ServiceLook } from '../../client/service-look.ts';
import type { ObjectService } from '../../service/object-service.ts';
import { isRefusal } from '../../service/refusal.ts';
import { CommandError, exitCodes, oneLine } from '../command-error.ts';
import type { AccountBuckets } from '../../store/account-buckets.ts';
import { listAllBuckets, untrustedLine } from '../connecting/connect.ts';
import { checkReachable, type Address } from '../connecting/reachable.ts';
import { reasonOf } from '../connecting/refused.ts';
import { openService } from '../connecting/open-service.ts';
import { isInsecure } from '../settings/setting-values.ts';
import type { MountSettings } from '../settings/settings.ts';
import { ageOf, counted } from '../screen/figures.ts';
import { readTlsTerms } from '../settings/tls-files.ts';
import { broken, checked, unknown, warning, well, type Check, type Finding } from './check.ts';
import { findFileToRead } from './file-to-read.ts';

export const SERVICE_CHECKS = ['base URL', 'credential', 'Range', 'clock'] as const;

const LOOK_DEADLINE_MS = 10_000;
const DAY_MS = 86_400_000;
/** Time enough for a person to get another certificate. */
const SHORT_VALIDITY_MS = 14 * DAY_MS;
/** The Date header counts whole seconds, and some more go by on the way. */
const HARMLESS_SKEW_MS = 10_000;
/** Byte 0 alone could be the whole of a file. */
const PROBED_RANGE = { start: 0, end: 1 };

interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
}

/** Never rejects because of the service. */
export async function checkService(
  settings: MountSettings,
  surroundings: Surroundings,
): Promise<readonly Check[]> {
  const { clock } = surroundings;
  const before = clock.now();
  let look: ServiceLook | undefined;
  const address = await checked('base URL', async () => {
    look = await lookAt(settings);
    return addressFinding(settings, look, clock.now());
  });
  const seen = look;
  if (seen === undefined) return [address, ...unasked('the service cannot be asked', 1)];
  const moment = (before + clock.now()) / 2;
  const service = await openService(settings, surroundings);
  try {
    let account: AccountBuckets | undefined;
    const credential = await checked('credential', async () => {
      account = await listAllBuckets({ service, baseUrl: settings.baseUrl });
      return credentialFinding(account);
    });
    const range = await checked('Range', async () =>
      account === undefined ? unknown('no file can be read') : rangeFinding(service, account),
    );
    return [address, credential, range, { check: 'clock', ...clockFinding(seen.date, moment) }];
  } finally {
    await service.close();
  }
}

/** Those of `SERVICE_CHECKS` from the `first` on, when nobody can be asked. */
export function unasked(why: string, first: number): readonly Check[] {
  return SERVICE_CHECKS.slice(first).map((check) => ({ check, ...unknown(why) }));
}

async function lookAt(settings: MountSettings): Promise<ServiceLook> {
  const { baseUrl, proxy, accessKeyId, secretAccessKey } = settings;
  const tls = await readTlsTerms(settings);
  await checkReachable(settings);
  const credentials = { accessKeyId, secretAccessKey };
  const signal = AbortSignal.timeout(LOOK_DEADLINE_MS);
  try {
    return await lookAtService({ baseUrl, credentials, tls, proxy, signal });
  } catch (error) {
    // What an abort of our own is called tells nothing.
    const words = signal.aborted ? `not within ${LOOK_DEADLINE_MS / 1000} s` : faultWords(error);
    const line =
      untrustedLine(error, baseUrl) ??
      `something listens at ${baseUrl}, but does not answer (${words}): check --base-url`;
    throw new CommandError(exitCodes.failed, line, { cause: error });
  }
}

function addressFinding({ baseUrl, proxy }: Address, { tls }: ServiceLook, now: number): Finding {
  const by = proxy === undefined ? '' : `, through the proxy ${new URL(proxy).host}`;
  if (tls === null) {
    return isInsecure(baseUrl)
      ? warning(`${baseUrl} answers${by}, but credentials and files travel readable: use https://`)
      : well(`${baseUrl} answers${by}`);
  }
  const { protocol, validUntil } = tls;
  const facts = `${baseUrl} answers over ${protocol}${by}, and its certificate is trusted`;
  const left = validUntil.getTime() - now;
  if (left > SHORT_VALIDITY_MS) return well(facts);
  return warning(
    `${facts}, but only for ${counted(Math.max(0, Math.floor(left / DAY_MS)), 'day')} more: have it renewed, or nothing works then`,
  );
}

/** §5: no endpoint tells the level, and what needs the right to write is a write. */
function credentialFinding({ buckets, summary }: AccountBuckets): Finding {
  const facts = `accepted, may read (${counted(buckets.length, 'bucket')}); reading cannot tell whether it may write: "pailfs mount" asks, and says so`;
  const { createBlockedReason } = summary;
  return createBlockedReason === null
    ? well(facts)
    : warning(`${facts}; no bucket can be created: ${createBlockedReason}: settle that with the service`);
}

async function rangeFinding(service: ObjectService, { buckets }: AccountBuckets): Promise<Finding> {
  try {
    const file = await findFileToRead(service, buckets);
    if (file === undefined) return unknown('there is no file to try it on');
    const { range, body } = await service.getObject(file.bucket, file.key, { range: PROBED_RANGE });
    // The rest of a whole file is not worth waiting for.
    await body[Symbol.asyncIterator]().return?.();
    if (byteLength(range) === byteLength(PROBED_RANGE)) return well('honoured: parts of files can be read');
    return rangeIgnored('ignored');
  } catch (error) {
    if (isRefusal(error, 'range-refused')) return rangeIgnored('refused');
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    return broken(`a file cannot be read: ${oneLine(reason)}`);
  }
}

function rangeIgnored(how: string): Finding {
  return warning(
    `${how}: to read a part of a file the whole of it is downloaded: leave --cache on disk, with room for your largest files`,
  );
}

/** `moment`: of this machine's clock, when the service wrote its date. */
function clockFinding(date: Date | null, moment: number): Finding {
  if (date === null) return unknown('the service does not say what time it is (no Date header)');
  const skew = moment - date.getTime();
  if (Math.abs(skew) <= HARMLESS_SKEW_MS) return well('agrees with that of the service');
  return warning(
    `this machine is ${ageOf(0, Math.abs(skew))} ${skew > 0 ? 'ahead of' : 'behind'} the service, and programs that compare times (make, rsync) are misled: set its clock (e.g. "timedatectl set-ntp true")`,
  );
}
