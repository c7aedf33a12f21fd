/** Which buckets has the account? All pages of List buckets (§4.2). */
import { Refusal, isRefusal } from '../service/refusal.ts';
import type { CallOptions, ObjectService } from '../service/object-service.ts';
import { LIST_BUCKETS_MAX_LIMIT } from '../service/limits.ts';
import type { AccountSummary, Bucket } from '../service/records.ts';

/** Twice the pages that 50 buckets at one a page would take: a listing that never ends is told apart from a long one. */
const MAX_PAGES = 100;
/** A bookmark may be forgotten (§4.11); a listing that restarts for ever helps nobody. */
const MAX_RESTARTS = 5;

/** A listing that would go on for ever. */
export class EndlessListing extends Refusal {
  constructor() {
    super('malformed', 'the service lists buckets without end', { operation: 'listBuckets' });
  }
}

export interface AccountBuckets {
  /** Each once. */
  readonly buckets: readonly Bucket[];
  /** As the last page tells it. */
  readonly summary: AccountSummary;
}

/** Begins anew when a bookmark is stale. Rejects with a `Refusal`. */
export async function listAccountBuckets(
  service: ObjectService,
  options: CallOptions = {},
): Promise<AccountBuckets> {
  for (let restarts = 0; ; restarts += 1) {
    try {
      return await walk(service, options);
    } catch (error) {
      if (!isRefusal(error, 'stale-bookmark') || restarts >= MAX_RESTARTS) throw error;
    }
  }
}

async function walk(service: ObjectService, options: CallOptions): Promise<AccountBuckets> {
  const buckets = new Map<string, Bucket>();
  let page: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const answer = await service.listBuckets({ ...options, limit: LIST_BUCKETS_MAX_LIMIT, page });
    for (const bucket of answer.buckets) buckets.set(bucket.bucket, bucket);
    if (answer.nextPage === null) return { buckets: [...buckets.values()], summary: answer.summary };
    page = answer.nextPage;
  }
  throw new EndlessListing();
}
