/** How are the rules of buckets broken? (§3.1, §4.2 to §4.5, §7, §8) */
import { jsonAnswer } from '../../src/server/answer.ts';
import type { Bucket, BucketPage } from '../../src/service/records.ts';
import { Refusal } from '../../src/service/refusal.ts';
import { breakData, breakDocument, breakOperation, breakPortRefusal, breakRefusal } from './breaking.ts';
import type { JsonObject, Mutants } from './breaking.ts';

const LENGTH_LIMITS: readonly number[] = [3, 40];

export const bucketMutants: Mutants = {
  'leaves a bucket out of the list': () => {
    changeLists((page) => ({ ...page, buckets: page.buckets.slice(1) }));
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
  'shows buckets that were deleted': () => {
    showMissingBuckets();
  },
  'shows the buckets of other accounts': () => {
    showMissingBuckets();
  },
  'takes names with any characters': () => {
    createAnyway('the name is not valid');
  },
  'takes names of any length': () => {
    createAnyway('the name is not valid');
  },
  'refuses names of 3 and of 40 characters': () => {
    breakOperation('createBucket', (whole) => (name, options) => {
      if (!LENGTH_LIMITS.includes(name.length)) return whole(name, options);
      const details = { operation: 'createBucket', status: 400 } as const;
      return Promise.reject(new Refusal('rejected', 'the name is not valid', details));
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

/** Where it would refuse for this reason. */
function createAnyway(reason: string): void {
  breakPortRefusal('createBucket', 'rejected', ([name], refusal) =>
    refusal.reason === reason ? Promise.resolve(bucketOf(name)) : Promise.reject(refusal),
  );
}

function showMissingBuckets(): void {
  breakPortRefusal('getBucket', 'missing', () => Promise.resolve(bucketOf('photos')));
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

function bucketOf(name: string): Bucket {
  return {
    bucket: `${name}-0`,
    publicId: '00000000-0000-4000-8000-000000000000',
    name,
    region: 'local-1',
    status: 'ACTIVE',
    statusMessage: null,
    sizeBytes: 0,
    objectCount: 0,
    usageSyncedAt: new Date(0),
    createdAt: new Date(0),
  };
}
