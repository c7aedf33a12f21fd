/**
 * Which buckets does the account have? One listing is trusted for the TTL, as names in a bucket are; buckets that were made or
 * removed here since its request left are as we left them (own-changes.ts).
 */
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { SingleFlight } from '../base/single-flight.ts';
import { STAYING, unlessLeaving, type Waiter } from '../base/waiter.ts';
import type { Bucket } from '../service/records.ts';
import type { AccountBuckets } from '../store/account-buckets.ts';
import { isUsableName } from '../store/keys.ts';
import { OwnChanges } from './own-changes.ts';

export type BucketsByName = ReadonlyMap<string, Bucket>;

export interface KnownBucketsParts {
  /** All buckets of the account. Rejects with a `Refusal`. */
  readonly ask: (signal: AbortSignal | undefined) => Promise<AccountBuckets>;
  readonly clock: Clock;
  readonly log: Log;
  /** For how long a listing is trusted, milliseconds. */
  readonly ttl: number;
}

/** There is one listing, and the own changes are all in one folder. */
const ALL = '/';

/** The buckets of one account by name. */
export class KnownBuckets {
  readonly #parts: KnownBucketsParts;
  readonly #flights: SingleFlight<typeof ALL, BucketsByName>;
  readonly #changes = new OwnChanges<Bucket | null>();
  #latest: ReadonlyMap<string, Bucket> = new Map();
  #askedAt = Number.NEGATIVE_INFINITY;
  /** How often what is known was to be forgotten. */
  #refreshes = 0;
  #hidden = 0;

  constructor(parts: KnownBucketsParts) {
    this.#parts = parts;
    this.#flights = new SingleFlight(parts.clock);
  }

  /** As they were known last, however old that is. */
  get latest(): BucketsByName {
    return this.#latest;
  }

  /** Buckets whose name no directory can have. */
  get hidden(): number {
    return this.#hidden;
  }

  /** For how many more milliseconds `latest` may be trusted. */
  freshFor(): number {
    return Math.max(0, this.#askedAt + this.#parts.ttl - this.#parts.clock.monotonic());
  }

  /** Asks the service when nothing fresh is known. Rejects with its refusal, or with `Interrupted` when `waiter` leaves. */
  list(waiter: Waiter = STAYING): Promise<BucketsByName> {
    if (this.freshFor() > 0) return Promise.resolve(this.#latest);
    // Where nothing is trusted, nobody joins what others asked.
    if (this.#parts.ttl === 0) return unlessLeaving(waiter, this.#ask(waiter.signal));
    return this.#flights.run(ALL, (signal) => this.#ask(signal), waiter);
  }

  /** As `list`, asked now, whatever is known. */
  relist(): Promise<BucketsByName> {
    this.refresh();
    return this.list();
  }

  /** The next look asks the service. */
  refresh(): void {
    this.#refreshes += 1;
    this.#askedAt = Number.NEGATIVE_INFINITY;
    this.#flights.forget(ALL);
  }

  /** What the service answered to a listing that was asked at `askedAt`, monotonic milliseconds. */
  told({ buckets }: AccountBuckets, askedAt: number): void {
    this.#latest = this.#named(buckets);
    this.#askedAt = askedAt;
  }

  /** We made `bucket`. */
  made(bucket: Bucket): void {
    this.#change(bucket.name, bucket);
  }

  /** We removed the bucket of that name. */
  removed(name: string): void {
    this.#change(name, null);
  }

  async #ask(signal: AbortSignal | undefined): Promise<BucketsByName> {
    const { ask, clock } = this.#parts;
    const askedAt = clock.monotonic();
    const refreshes = this.#refreshes;
    const question = this.#changes.ask();
    try {
      const { buckets } = await ask(signal);
      const answer = changed(this.#named(buckets), this.#changes.allSince(question, ALL));
      // What was asked for later may have come already.
      if (refreshes === this.#refreshes && askedAt >= this.#askedAt) {
        this.#latest = answer;
        this.#askedAt = askedAt;
      }
      return answer;
    } finally {
      this.#changes.settle(question);
    }
  }

  #named(buckets: readonly Bucket[]): BucketsByName {
    const named = new Map<string, Bucket>();
    for (const bucket of buckets) {
      // Names are unique (§4.3): of two that are not, the first is shown.
      if (isUsableName(bucket.name) && !named.has(bucket.name)) named.set(bucket.name, bucket);
    }
    this.#complainOnce(buckets.length - named.size);
    return named;
  }

  #change(name: string, bucket: Bucket | null): void {
    this.#changes.record(ALL, name, bucket);
    this.#latest = changed(this.#latest, new Map([[name, bucket]]));
  }

  #complainOnce(hidden: number): void {
    if (hidden > this.#hidden) {
      this.#parts.log.warn('some buckets have names that cannot be shown and are left out', { hidden });
    }
    this.#hidden = hidden;
  }
}

function changed(buckets: BucketsByName, changes: ReadonlyMap<string, Bucket | null>): BucketsByName {
  const result = new Map(buckets);
  for (const [name, bucket] of changes) {
    if (bucket === null) result.delete(name);
    else result.set(name, bucket);
  }
  return result;
}
