/**
 * What does the embedded service keep, and for whom?
 *
 * A store is a directory, or memory, that holds the buckets of any number of accounts. `account` gives the service as one of
 * them sees it: the whole port, with every rule of the spec. The HTTP front is one more user of that port.
 */
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, type Clock } from '../base/clock.ts';
import { Turns } from '../base/turns.ts';
import { AccountBuckets } from './account-buckets.ts';
import { AccountService } from './account-service.ts';
import { defaultBehaviours, type Behaviours } from './behaviours.ts';
import type { Blobs } from './blobs.ts';
import { removeEntries } from './bucket-removal.ts';
import { Bookmarks } from './bookmarks.ts';
import { FileBlobs } from './file-blobs.ts';
import { Index, type BucketState } from './index-rows.ts';
import { Lies } from './lies.ts';
import { Links } from './links.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import { PublishedFiles } from './published-files.ts';
import { exclusively, type AccountState, type StoreParts } from './store-parts.ts';

/** Where a store keeps its things, and how it behaves. */
export interface StoreOptions {
  /** Where to keep everything; in memory when null or absent. */
  readonly directory?: string | null | undefined;
  readonly clock?: Clock | undefined;
  /** That many unpredictable bytes. */
  readonly random?: ((length: number) => Uint8Array) | undefined;
  readonly behaviours?: Partial<Behaviours> | undefined;
  /** How old size_bytes and object_count may be (§2.1), milliseconds; 0 by default: never old. */
  readonly usageInterval?: number | undefined;
  /** How long a permanent link outlives its file's turning private (§4.13), milliseconds; 0 by default. */
  readonly unpublishLag?: number | undefined;
  /** How long temporary links work, seconds; an hour by default. */
  readonly linkLifetime?: number | undefined;
}

const DEFAULT_LINK_LIFETIME = 3600;

/** The data of all accounts. To be closed: until then no other process can open the directory. */
export class EmbeddedStore {
  readonly #parts: StoreParts;
  readonly #states = new Map<string, AccountState>();

  private constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  /** Rejects when the directory cannot be used or another process has it open. */
  static async open(options: StoreOptions = {}): Promise<EmbeddedStore> {
    const directory = options.directory ?? null;
    const random = options.random ?? randomBytes;
    if (directory !== null) await mkdir(directory, { recursive: true, mode: 0o700 });
    const index = await Index.open(directory === null ? null : join(directory, 'index'));
    const blobs: Blobs = directory === null ? new MemoryBlobs() : await FileBlobs.open(directory);
    // A process may have been killed while it removed a bucket.
    for (const bucket of await index.removedBuckets()) await removeEntries(index, blobs, bucket);
    // What a killed process had received but not yet entered in the index.
    await blobs.sweep(await index.blobs());
    const secret = await secretOf(index, random);
    return new EmbeddedStore({
      index,
      blobs,
      bookmarks: new Bookmarks(secret),
      lies: new Lies(index),
      links: new Links(secret, 'http://localhost', options.linkLifetime ?? DEFAULT_LINK_LIFETIME),
      clock: options.clock ?? systemClock,
      random,
      behaviours: { ...defaultBehaviours, ...options.behaviours },
      usageInterval: options.usageInterval ?? 0,
      unpublishLag: options.unpublishLag ?? 0,
      turns: new Turns(),
    });
  }

  get behaviours(): Behaviours {
    return this.#parts.behaviours;
  }

  get clock(): Clock {
    return this.#parts.clock;
  }

  /** For tests: what it says later than it happens. */
  get lies(): Lies {
    return this.#parts.lies;
  }

  /** The service as this account sees it. Buckets of other accounts do not exist for it (§5). */
  account(name = 'main'): AccountService {
    return new AccountService(this.#parts, name, this.#state(name));
  }

  /** Starts or ends a grace period (§4.3, §4.7), or says whether the account has a running service (§4.3). */
  changeAccount(change: Partial<AccountState>, name = 'main'): void {
    Object.assign(this.#state(name), change);
  }

  /** What the bucket is from now on (§3.1). Rejects with a refusal when the account has no such bucket. */
  changeBucket(bucket: string, state: BucketState, account = 'main'): Promise<void> {
    return new AccountBuckets(this.#parts, account, this.#state(account)).change(bucket, state);
  }

  /** What links serve, whoever asks. */
  published(): PublishedFiles {
    return new PublishedFiles(this.#parts);
  }

  /** Waits for changes under way. */
  async close(): Promise<void> {
    await this.#parts.lies.end();
    await exclusively(this.#parts, () => this.#parts.index.close());
  }

  #state(name: string): AccountState {
    const known = this.#states.get(name) ?? { gracePeriod: false, runningService: true };
    this.#states.set(name, known);
    return known;
  }
}

/** Bookmarks and links shall outlive a restart, so their secret is kept with the data. */
async function secretOf(index: Index, random: (length: number) => Uint8Array): Promise<string> {
  const known = await index.secret();
  if (known !== undefined) return known;
  const secret = Buffer.from(random(32)).toString('hex');
  await index.commit([{ type: 'put', key: 'secret', value: secret }]);
  return secret;
}
