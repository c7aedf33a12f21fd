/** What do the parts of the store share? */
import type { Clock } from '../base/clock.ts';
import type { Turns } from '../base/turns.ts';
import { Refusal, type Operation, type RefusalKind } from '../service/refusal.ts';
import type { Behaviours } from './behaviours.ts';
import type { Blobs } from './blobs.ts';
import type { Bookmarks } from './bookmarks.ts';
import { bucketKey, type BucketRow, type Index, type RowChange } from './index-rows.ts';
import type { Lies } from './lies.ts';
import type { Links } from './links.ts';

/** One store, taken apart. */
export interface StoreParts {
  readonly index: Index;
  readonly blobs: Blobs;
  readonly bookmarks: Bookmarks;
  readonly links: Links;
  readonly lies: Lies;
  readonly clock: Clock;
  readonly random: (length: number) => Uint8Array;
  readonly behaviours: Behaviours;
  /** Milliseconds. */
  readonly usageInterval: number;
  /** Milliseconds. */
  readonly unpublishLag: number;
  /** Of the changes; all are of the one index. */
  readonly turns: Turns<Index>;
}

/** An account's own circumstances. */
export interface AccountState {
  /** Blocks bucket creation (400) and uploads (402). */
  gracePeriod: boolean;
  /** Without one the first bucket cannot be created (§4.3). */
  runningService: boolean;
}

/** Runs `change` when all changes before it are done: what it reads stays true until it has committed. */
export function exclusively<Result>(
  { turns, index }: Pick<StoreParts, 'turns' | 'index'>,
  change: () => Promise<Result>,
): Promise<Result> {
  return turns.take([index], change);
}

/** What a refusal is about. */
export interface Subject {
  readonly operation: Operation;
  readonly bucket: string;
  readonly key?: string | undefined;
}

/** A refusal as the front will tell it: with the status that the spec, or HTTP, has for it. */
export function refuse(
  subject: Pick<Subject, 'operation'> & Partial<Subject>,
  kind: RefusalKind,
  reason: string,
  status: number,
): Refusal {
  const named = [subject.bucket, subject.key].filter((part) => part !== undefined).join('/');
  return new Refusal(kind, reason, { operation: subject.operation, status, subject: named });
}

/** Written as UTF-8 it would become the name of another file. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The bucket if the account has it, else a refusal (§4.4: another account's does not exist either). */
export async function ownedBucket(parts: StoreParts, account: string, subject: Subject): Promise<BucketRow> {
  if (LONE_SURROGATE.test(subject.key ?? ''))
    throw refuse(subject, 'rejected', 'the name is not valid Unicode', 400);
  const row = await parts.index.bucket(account, subject.bucket);
  if (row === undefined) throw refuse(subject, 'missing', 'the bucket does not exist', 404);
  return row;
}

/** The change that adds to a bucket's figures. */
export function usageChange(bucket: BucketRow, files: number, bytes: number): RowChange {
  const value = { ...bucket, files: bucket.files + files, bytes: bucket.bytes + bytes };
  return { type: 'put', key: bucketKey(bucket.account, bucket.bucket), value };
}

/** The service's clock, to the second as it tells it (§2.3). */
export function wholeSecond(clock: Clock): number {
  return Math.floor(clock.now() / 1000) * 1000;
}
