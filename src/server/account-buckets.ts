/** How are buckets made, told and removed? (§4.2 to §4.5) */
import type { PageQuery } from '../service/object-service.ts';
import {
  BUCKET_NAME_PATTERN,
  LIST_BUCKETS_DEFAULT_LIMIT,
  LIST_BUCKETS_MAX_LIMIT,
  MAX_BUCKETS,
  MAX_OBJECT_SIZE_BYTES,
} from '../service/limits.ts';
import type { AccountSummary, Bucket, BucketPage } from '../service/records.ts';
import { removeEntries } from './bucket-removal.ts';
import { bucketKey, type BucketRow, type BucketState, type RowChange } from './index-rows.ts';
import { pageLimit } from './page-limit.ts';
import { exclusively, ownedBucket, refuse, type AccountState, type StoreParts } from './store-parts.ts';

const REGION = 'local-1';
const PENDING: BucketState = { status: 'PENDING', statusMessage: 'it is being made ready' };

/** One account's buckets. Every method rejects with a `Refusal`, or with a fault of the disk. */
export class AccountBuckets {
  readonly #parts: StoreParts;
  readonly #account: string;
  readonly #state: AccountState;

  constructor(parts: StoreParts, account: string, state: AccountState) {
    this.#parts = parts;
    this.#account = account;
    this.#state = state;
  }

  async list(query: PageQuery): Promise<BucketPage> {
    const { bookmarks, behaviours } = this.#parts;
    const most = pageLimit('listBuckets', query.limit, behaviours, {
      usual: LIST_BUCKETS_DEFAULT_LIMIT,
      most: LIST_BUCKETS_MAX_LIMIT,
    });
    const listing = ['buckets', this.#account];
    const from = query.page === undefined ? { last: '', step: 0 } : bookmarks.open(listing, query.page);
    if (from === undefined)
      throw refuse({ operation: 'listBuckets' }, 'stale-bookmark', 'the page is not valid', 400);
    const rows = await this.#fresh(await this.#parts.index.buckets(this.#account));
    const rest = rows.filter((row) => row.bucket > from.last);
    const nasty = behaviours.pages === 'nasty';
    const size = nasty ? [Math.ceil(most / 2), 0, most][from.step % 3] : most;
    const shown = rest.slice(0, size);
    const last = shown.at(-1)?.bucket ?? from.last;
    const more = shown.length < rest.length || (nasty && from.step < 2);
    return {
      buckets: shown.map(bucketRecord),
      summary: this.#summary(rows),
      nextPage: more ? bookmarks.issue(listing, { last, step: from.step + 1 }) : null,
    };
  }

  create(name: string): Promise<Bucket> {
    return exclusively(this.#parts, async () => {
      const rows = await this.#parts.index.buckets(this.#account);
      const reason = BUCKET_NAME_PATTERN.test(name) ? this.#obstacle(rows, name) : 'the name is not valid';
      if (reason !== null) throw refuse({ operation: 'createBucket', bucket: name }, 'rejected', reason, 400);
      const now = this.#parts.clock.now();
      const row: BucketRow = {
        bucket: `${name}-${Buffer.from(this.#parts.random(4)).toString('hex')}`,
        publicId: uuid(this.#parts.random(16)),
        name,
        account: this.#account,
        createdAt: now,
        bytes: 0,
        files: 0,
        toldBytes: 0,
        toldFiles: 0,
        syncedAt: now,
        ...(this.#parts.behaviours.newBucket === 'pending' ? { state: PENDING } : {}),
      };
      await this.#parts.index.commit([
        { type: 'put', key: bucketKey(this.#account, row.bucket), value: row },
      ]);
      return bucketRecord(row);
    });
  }

  async get(bucket: string): Promise<Bucket> {
    const row = await ownedBucket(this.#parts, this.#account, { operation: 'getBucket', bucket });
    const [fresh] = await this.#fresh([row]);
    return bucketRecord(fresh ?? row);
  }

  /** For tests: the service gives no way to ask for it (§3.1: transitions are not shown). */
  change(bucket: string, state: BucketState): Promise<void> {
    return exclusively(this.#parts, async () => {
      const row = await ownedBucket(this.#parts, this.#account, { operation: 'getBucket', bucket });
      await this.#parts.index.commit([
        { type: 'put', key: bucketKey(this.#account, bucket), value: { ...row, state } },
      ]);
    });
  }

  delete(bucket: string): Promise<void> {
    return exclusively(this.#parts, async () => {
      await ownedBucket(this.#parts, this.#account, { operation: 'deleteBucket', bucket });
      // First the bucket itself: from here on its files cannot be reached, whatever happens.
      await this.#parts.index.commit([{ type: 'del', key: bucketKey(this.#account, bucket) }]);
      await removeEntries(this.#parts.index, this.#parts.blobs, bucket);
    });
  }

  /** Rows whose told figures are not older than the interval (§2.1). */
  async #fresh(rows: readonly BucketRow[]): Promise<BucketRow[]> {
    const now = this.#parts.clock.now();
    const isOld = (row: BucketRow): boolean => now - row.syncedAt >= this.#parts.usageInterval;
    if (!rows.some(isOld)) return [...rows];
    return exclusively(this.#parts, async () => {
      const changes: RowChange[] = [];
      const fresh: BucketRow[] = [];
      for (const { bucket } of rows) {
        const row = await this.#parts.index.bucket(this.#account, bucket);
        if (row === undefined) continue;
        const synced = { ...row, toldBytes: row.bytes, toldFiles: row.files, syncedAt: now };
        fresh.push(isOld(row) ? synced : row);
        const key = bucketKey(this.#account, bucket);
        // The time alone is not worth a write when figures are always fresh.
        if (isOld(row) && this.#parts.usageInterval > 0) changes.push({ type: 'put', key, value: synced });
      }
      if (changes.length > 0) await this.#parts.index.commit(changes);
      return fresh;
    });
  }

  #summary(rows: readonly BucketRow[]): AccountSummary {
    return {
      usedBytes: rows.reduce((sum, row) => sum + row.toldBytes, 0),
      limitBytes: null,
      bucketCount: rows.length,
      bucketLimit: MAX_BUCKETS,
      maxObjectSizeBytes: MAX_OBJECT_SIZE_BYTES,
      createBlockedReason: this.#obstacle(rows, null),
    };
  }

  /** Why no bucket (of this name) can be created; null when one can. */
  #obstacle(rows: readonly BucketRow[], name: string | null): string | null {
    if (this.#state.gracePeriod) return 'the account is in a grace period';
    if (!this.#state.runningService && rows.length === 0) return 'the account needs a running service';
    if (rows.some((row) => row.name === name)) return 'the account already has a bucket of this name';
    if (rows.length >= MAX_BUCKETS) return `the account already has ${MAX_BUCKETS} buckets`;
    return null;
  }
}

function bucketRecord(row: BucketRow): Bucket {
  return {
    bucket: row.bucket,
    publicId: row.publicId,
    name: row.name,
    region: REGION,
    status: row.state?.status ?? 'ACTIVE',
    statusMessage: row.state?.statusMessage ?? null,
    sizeBytes: row.toldBytes,
    objectCount: row.toldFiles,
    usageSyncedAt: new Date(row.syncedAt),
    createdAt: new Date(row.createdAt),
  };
}

/** Version 4 of RFC 9562. */
function uuid(random: Uint8Array): string {
  const bytes = Buffer.from(random);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
