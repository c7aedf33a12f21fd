/** `pailfs bucket`: which buckets does the account have, and how are they made and removed? Everything prints to stdout. */
import prettyBytes from 'pretty-bytes';
import { BUCKET_NAME_PATTERN } from '../../service/limits.ts';
import type { AccountSummary, Bucket } from '../../service/records.ts';
import { isRefusal, type Refusal } from '../../service/refusal.ts';
import { listAccountBuckets } from '../../store/account-buckets.ts';
import { askPerson } from '../screen/ask-person.ts';
import type { ExitCode } from '../command-error.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { listAllBuckets } from '../connecting/connect.ts';
import { sayToPerson } from '../screen/report.ts';
import { printable, screenWidth } from '../screen/screen-text.ts';
import { ageOf, counted, minuteOf } from '../screen/figures.ts';
import { tableOf, type Column } from '../screen/table.ts';
import { print, printJson } from '../screen/stdout.ts';
import { mayBeDone, refused } from '../connecting/refused.ts';
import type { Session } from './session.ts';

/** §4.3 */
const NAME_RULE =
  'a name has 3 to 40 lowercase letters, digits and hyphens, and begins and ends with a letter or digit';

const COLUMNS: readonly Column<Bucket>[] = [
  { title: 'NAME', shrinks: true, text: ({ name }) => name },
  { title: 'IDENTIFIER', shrinks: true, text: ({ bucket }) => bucket },
  { title: 'STATUS', shrinks: false, text: ({ status }) => status },
  { title: 'FILES', shrinks: false, text: ({ objectCount }) => String(objectCount) },
  { title: 'SIZE', shrinks: false, text: ({ sizeBytes }) => prettyBytes(sizeBytes) },
  { title: 'CREATED', shrinks: false, text: ({ createdAt }) => minuteOf(createdAt) },
  { title: 'MESSAGE', shrinks: true, text: ({ statusMessage }) => statusMessage ?? '' },
];

/** §4.2, all pages. Each command here rejects with a `CommandError`. */
export async function listBuckets({ service, settings, clock }: Session, json: boolean): Promise<ExitCode> {
  const { buckets, summary } = await listAllBuckets({ service, baseUrl: settings.baseUrl });
  if (json) printJson({ buckets, summary });
  else {
    const isSaid = buckets.some(({ statusMessage }) => statusMessage !== null);
    const columns = COLUMNS.filter(({ title }) => isSaid || title !== 'MESSAGE');
    if (buckets.length > 0) process.stdout.write(tableOf(columns, buckets, screenWidth()));
    for (const line of summaryLines(summary, buckets, clock.now())) print(line);
  }
  return exitCodes.done;
}

/** §4.3 */
export async function createBucket(session: Session, name: string, json: boolean): Promise<ExitCode> {
  const what = `bucket ${name} is not created`;
  try {
    const bucket = await session.service.createBucket(name);
    if (json) printJson(bucket);
    else print(`created bucket ${bucket.name} (${bucket.bucket})`);
    return exitCodes.done;
  } catch (error) {
    if (isRefusal(error, 'rejected')) throw refused(what, await whyNotCreated(session, name, error));
    if (isRefusal(error, 'denied')) throw refused(what, await whyDenied(session, error));
    if (!isRefusal(error, 'unavailable', 'timeout', 'malformed')) throw refused(what, error);
    // It is never repeated (§4.3), so the answer that was lost may have been a yes.
    throw refused(`whether bucket ${name} is created is not known ("pailfs bucket list" tells)`, error);
  }
}

/** Whoever may not even read has other credentials than these to look for (§5: the answers to both are not told). */
async function whyDenied({ service }: Session, refusal: Refusal): Promise<unknown> {
  try {
    await listAccountBuckets(service);
    return refusal;
  } catch (error) {
    return isRefusal(error, 'denied') ? error : refusal;
  }
}

/** Many reasons have one answer, 400 (§4.3), whose text is the service's own: which it was is looked up where it can be. */
async function whyNotCreated({ service }: Session, name: string, refusal: Refusal): Promise<Error> {
  const fail = (reason: string): CommandError =>
    new CommandError(exitCodes.failed, reason, { cause: refusal });
  const { reason } = refusal;
  if (!BUCKET_NAME_PATTERN.test(name)) return fail(`${reason}: ${NAME_RULE}`);
  const account = await listAccountBuckets(service).catch((error: unknown) => {
    // What the service has said of the bucket is all there is.
    if (isRefusal(error)) return undefined;
    throw error;
  });
  if (account === undefined) return refusal;
  const { bucketCount, bucketLimit, createBlockedReason } = account.summary;
  if (account.buckets.some((bucket) => bucket.name === name))
    return fail('this account has a bucket of that name already');
  const isTold = createBlockedReason === null || reason.includes(createBlockedReason);
  const told = isTold ? reason : `${reason}: ${createBlockedReason}`;
  if (bucketCount < bucketLimit) return fail(told);
  // The account may be in a grace period besides.
  return fail(
    `this account has ${bucketCount} buckets, and ${bucketLimit} is the most: delete one first (${told})`,
  );
}

/** §4.4 */
export async function showBucket(session: Session, wanted: string, json: boolean): Promise<ExitCode> {
  const bucket = await freshBucket(session, wanted, `bucket ${wanted} cannot be shown`);
  if (json) printJson(bucket);
  else process.stdout.write(factsOf(bucket, session.clock.now()));
  return exitCodes.done;
}

/** §4.5: the bucket with all its files. `yes`: nobody is asked. */
export async function deleteBucket(
  session: Session,
  wanted: string,
  { yes, json }: { readonly yes: boolean; readonly json: boolean },
): Promise<ExitCode> {
  const what = `bucket ${wanted} is not deleted`;
  const bucket = await freshBucket(session, wanted, what);
  if (!yes) await requireName(bucket, session.clock.now());
  try {
    await session.service.deleteBucket(bucket.bucket);
  } catch (error) {
    // Gone is gone: the answer to the first try may have been lost.
    if (!isRefusal(error, 'missing')) {
      if (!mayBeDone(error)) throw refused(what, error);
      throw refused(`whether bucket ${wanted} is deleted is not known ("pailfs bucket list" tells)`, error);
    }
  }
  if (json) printJson({ deleted: bucket });
  else print(`deleted bucket ${bucket.name} (${bucket.bucket})`);
  return exitCodes.done;
}

/** The list may be older than the bucket's own record. */
async function freshBucket(session: Session, wanted: string, what: string): Promise<Bucket> {
  const { bucket } = await session.findBucket(wanted);
  try {
    return await session.service.getBucket(bucket);
  } catch (error) {
    throw refused(what, error);
  }
}

async function requireName(bucket: Bucket, now: number): Promise<void> {
  const content = contentOf(bucket, now);
  sayToPerson(
    `bucket ${bucket.name} (${bucket.bucket}) holds ${content}: they go with it, and nothing brings them back`,
  );
  const answer = await askPerson('Type its name to delete it: ', `to delete bucket ${bucket.name}`);
  if (answer === bucket.name) return;
  throw new CommandError(exitCodes.failed, `nothing is deleted: that is not the name of the bucket`);
}

function summaryLines(summary: AccountSummary, buckets: readonly Bucket[], now: number): readonly string[] {
  const { bucketCount, bucketLimit, usedBytes, limitBytes, createBlockedReason } = summary;
  const limit = limitBytes === null ? '' : ` of ${prettyBytes(limitBytes)}`;
  const oldest = Math.min(...buckets.map(({ usageSyncedAt }) => usageSyncedAt.getTime()));
  const age = buckets.length === 0 ? '' : `; sizes and counts are ${ageOf(oldest, now)} old at most`;
  const lines = [`${bucketCount} of ${bucketLimit} buckets, ${prettyBytes(usedBytes)}${limit} in all${age}`];
  if (createBlockedReason !== null) lines.push(`no bucket can be created: ${createBlockedReason}`);
  return lines;
}

function factsOf(bucket: Bucket, now: number): string {
  const { name, region, status, statusMessage, publicId, createdAt } = bucket;
  const facts = [
    ['name', name],
    ['identifier', bucket.bucket],
    ['public id', publicId],
    ['region', region],
    ['status', statusMessage === null ? status : `${status} (${statusMessage})`],
    ['content', contentOf(bucket, now)],
    ['created', minuteOf(createdAt)],
  ] as const;
  return facts
    .map(([title, value]) => `${title.padEnd('identifier'.length)}  ${printable(value)}\n`)
    .join('');
}

function contentOf({ objectCount, sizeBytes, usageSyncedAt }: Bucket, now: number): string {
  const age = ageOf(usageSyncedAt.getTime(), now);
  return `${counted(objectCount, 'file')}, ${prettyBytes(sizeBytes)} (counted ${age} ago)`;
}
