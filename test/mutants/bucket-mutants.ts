/** How are the rules of buckets broken? (§3.1, §4.2 to §4.5, §7, §8) */
import { jsonAnswer } from '../../src/server/answer.ts';
import type { Bucket, BucketPage } from '../../src/service/records.ts';
import { Refusal } from '../../src/service/refusal.ts';
import {
  breakData,
  breakDocument,
  breakOperation,
  breakPortRefusal,
  breakRefusal,
  bucketOf,
} from './breaking.ts';
import type { JsonObject, Mutants } from './breaking.ts';

const LENGTH_LIMITS: readonly number[] = [3, 40];

export const bucketMutants: Mutants = {
  'leaves a bucket out of the list': () => {
    changeLists((page) => ({ ...page, buckets: page.buckets.slice(1) }));
  },
  'tells other bytes than the files have': () => {
    changeSummary({ used_bytes: 999 });
  },
  'counts a bucket too many': () => {
    breakData('listBuckets', ({ summary, ...data }) => {
      const { bucket_count: count, ...rest } = summary as JsonObject;
      return { ...data, summary: { ...rest, bucket_count: Number(count) + 1 } };
    });
  },
  'tells that 60 buckets may be had': () => {
    changeSummary({ bucket_limit: 60 });
  },
  'tells no reason why no bucket can be created': () => {
    changeSummary({ create_blocked_reason: null });
  },
  'tells a cap on storage': () => {
    changeSummary({ limit_bytes: 1_000_000_000 });
  },
  'tells another largest file': () => {
    changeSummary({ max_object_size_bytes: 1_000_000 });
  },
  'tells that buckets are PENDING': () => {
    breakOperation('getBucket', (whole) => async (...given) => ({
      ...(await whole(...given)),
      status: 'PENDING',
    }));
  },
  'tells that every bucket is ACTIVE': () => {
    const active = { status: 'ACTIVE', statusMessage: null };
    changeLists((page) => ({ ...page, buckets: page.buckets.map((bucket) => ({ ...bucket, ...active })) }));
    breakOperation('getBucket', (whole) => async (...given) => ({ ...(await whole(...given)), ...active }));
  },
  'tells a wrong size of a bucket': () => {
    breakOperation('getBucket', (whole) => async (...given) => ({
      ...(await whole(...given)),
      sizeBytes: 999,
    }));
  },
  'answers 201 and has made no bucket': () => {
    breakOperation('createBucket', (whole, service) => async (...given) => {
      const bucket = await whole(...given);
      if (bucket.name !== 'photos') await service.deleteBucket(bucket.bucket);
      return bucket;
    });
  },
  'gives a new bucket files': () => {
    breakOperation('getBucket', (whole) => async (...given) => ({
      ...(await whole(...given)),
      objectCount: 7,
    }));
  },
  'deletes no bucket': () => {
    breakOperation('deleteBucket', () => () => Promise.resolve());
  },
  'keeps the files of a deleted bucket': keepFiles,
  'shows buckets that were deleted': showDeletedBuckets,
  'shows the buckets of other accounts': () => {
    const known = new Map<string, Bucket>();
    breakOperation('createBucket', (whole) => async (...given) => {
      const bucket = await whole(...given);
      known.set(bucket.bucket, bucket);
      return bucket;
    });
    breakPortRefusal('getBucket', 'missing', ([bucket], refusal) => {
      const found = known.get(bucket);
      return found === undefined ? Promise.reject(refusal) : Promise.resolve(found);
    });
    breakOperation('deleteBucket', (whole) => async (bucket, options) => {
      await whole(bucket, options);
      known.delete(bucket);
    });
  },
  'takes names with any characters': () => {
    createAnyway('the name is not valid', /^[a-z0-9].{1,38}[a-z0-9]$/i);
  },
  'takes hyphens at the ends of names': () => {
    createAnyway('the name is not valid', /^[a-z0-9-]{3,40}$/);
  },
  'takes names of any length': () => {
    createAnyway('the name is not valid', /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/);
  },
  'takes no name that another account has': () => {
    const taken = new Set<string>();
    breakOperation('createBucket', (whole) => async (name, options) => {
      if (taken.has(name)) throw rejected('the name is taken');
      const bucket = await whole(name, options);
      taken.add(name);
      return bucket;
    });
  },
  'tells an identifier of a new bucket that it does not know': () => {
    breakData('createBucket', ({ bucket, ...data }) => ({ ...data, bucket: `${String(bucket)}0` }));
  },
  'refuses names of 3 and of 40 characters': () => {
    breakOperation('createBucket', (whole) => (name, options) => {
      if (!LENGTH_LIMITS.includes(name.length)) return whole(name, options);
      return Promise.reject(rejected('the name is not valid'));
    });
  },
  'takes a name twice': () => {
    createAnyway('the account already has a bucket of this name');
  },
  'makes buckets in a grace period': () => {
    createAnyway('the account is in a grace period');
  },
  'refuses buckets in a grace period with 402': () => {
    breakPortRefusal('createBucket', 'rejected', (_given, { reason }) =>
      Promise.reject(new Refusal('paused', reason, { operation: 'createBucket', status: 402 })),
    );
  },
  'makes a first bucket without a running service': () => {
    createAnyway('the account needs a running service');
  },
  'makes any number of buckets': () => {
    createAnyway('the account already has 50 buckets');
  },
  'says that more buckets follow, and not where': () => {
    breakData('listBuckets', (data) => ({ ...data, next_page: null }));
  },
  'says 404 to a bookmark of buckets that it never issued': () => {
    breakPortRefusal('listBuckets', 'stale-bookmark', (_given, { reason }) =>
      Promise.reject(new Refusal('missing', reason, { operation: 'listBuckets', status: 404 })),
    );
  },
  'leaves the envelope away': () => {
    breakDocument('getBucket', ({ data }) => data as JsonObject);
  },
  'gives no message with a refusal': () => {
    breakRefusal('createBucket', 'rejected', () => jsonAnswer(400, { status: 400 }));
  },
};

function changeLists(change: (page: BucketPage) => BucketPage): void {
  breakOperation('listBuckets', (whole) => async (query) => change(await whole(query)));
}

function changeSummary(change: JsonObject): void {
  breakData('listBuckets', ({ summary, ...data }) => ({
    ...data,
    summary: { ...(summary as JsonObject), ...change },
  }));
}

/** Where it would refuse a name like `names` for this reason. */
function createAnyway(reason: string, names = /^/): void {
  breakPortRefusal('createBucket', 'rejected', ([name], refusal) =>
    refusal.reason === reason && names.test(name) ? Promise.resolve(bucketOf(name)) : Promise.reject(refusal),
  );
}

function rejected(reason: string): Refusal {
  return new Refusal('rejected', reason, { operation: 'createBucket', status: 400 });
}

/** To whoever had them, and to nobody else. */
function showDeletedBuckets(): void {
  const deleted = new Map<string, Bucket>();
  breakOperation('deleteBucket', (whole, service) => async (bucket, options) => {
    deleted.set(bucket, await service.getBucket(bucket));
    await whole(bucket, options);
  });
  breakPortRefusal('getBucket', 'missing', ([bucket], refusal) => {
    const found = deleted.get(bucket);
    return found === undefined ? Promise.reject(refusal) : Promise.resolve(found);
  });
}

/** The bucket goes from the list alone. */
function keepFiles(): void {
  const deleted = new Set<string>();
  breakOperation('deleteBucket', () => (bucket) => {
    deleted.add(bucket);
    return Promise.resolve();
  });
  changeLists((page) => {
    const buckets = page.buckets.filter(({ bucket }) => !deleted.has(bucket));
    return { ...page, buckets, summary: { ...page.summary, bucketCount: buckets.length } };
  });
}
