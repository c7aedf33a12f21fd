/** Which tests show the rules of buckets? */
import { rowsOf, type CoverageRow } from './row.ts';

const LISTED = 'are listed, with what the account may have';
const SHOWN = 'are shown with status and content';
const CREATED = 'are there once they are created';
const DELETED = 'are gone once they are deleted, and all their files with them';
const TWICE = 'are not created twice with one name';
const GRACE = 'are not created in a grace period';

export const bucketRows: readonly CoverageRow[] = rowsOf('rules/buckets.test.ts', 'command line', [
  ['§3.1', 'ACTIVE: the bucket is ready to use', SHOWN, 'tells that buckets are PENDING'],
  [
    '§3.1',
    'Other values of status are not shown: whatever it is, it is told',
    'are shown with what they are while they are not ACTIVE, and so listed',
    'tells that every bucket is ACTIVE',
  ],
  ['§3.1', 'A bucket comes into being by Create a bucket', CREATED, 'answers 201 and has made no bucket'],
  [
    '§3.1',
    'A bucket ceases to exist by Delete a bucket, with every file in it',
    DELETED,
    'keeps the files of a deleted bucket',
  ],
  ['§4.2', 'GET /buckets: all buckets of the account', LISTED, 'leaves a bucket out of the list'],
  ['§4.2', 'data.summary: used_bytes', LISTED, 'tells other bytes than the files have'],
  ['§4.2', 'data.summary: bucket_count', LISTED, 'counts a bucket too many'],
  ['§4.2', 'data.summary: bucket_limit', LISTED, 'tells that 60 buckets may be had'],
  [
    '§4.2',
    'data.summary: create_blocked_reason',
    'are listed with the reason why no more can be created',
    'tells no reason why no bucket can be created',
  ],
  ['§4.3', 'POST /buckets: a bucket, which is empty', CREATED, 'gives a new bucket files'],
  [
    '§4.3',
    'data.bucket addresses the bucket from then on',
    CREATED,
    'tells an identifier of a new bucket that it does not know',
  ],
  [
    '§4.3',
    'The name starts and ends with a letter or digit',
    'are not created with a hyphen at an end: %s',
    'takes hyphens at the ends of names',
  ],
  [
    '§4.3',
    "The name is unique among the account's buckets, not among all",
    'are created though another account has one of that name',
    'takes no name that another account has',
  ],
  ['§4.4', 'GET /buckets/{bucket}: the bucket', SHOWN, 'tells a wrong size of a bucket'],
  ['§4.5', 'DELETE /buckets/{bucket}: the bucket is deleted', DELETED, 'deletes no bucket'],
  [
    '§4.11',
    'List buckets uses the same paging: has_next and next_page',
    'are all listed',
    'says that more buckets follow, and not where',
  ],
  [
    '§4.11',
    'List buckets: invalid page is 400, and the client restarts',
    'are all listed, each once, when a bookmark is not valid any more',
    'says 404 to a bookmark of buckets that it never issued',
  ],
  ['§7', 'Success envelope: message, status, data', SHOWN, 'leaves the envelope away'],
  ['§7', 'Refusal: JSON with message', TWICE, 'gives no message with a refusal'],
  [
    '§7',
    '400: Create a bucket with an invalid name',
    'are not created with other characters: %s',
    'takes names with any characters',
  ],
  ['§7', '400: Create a bucket with a duplicate name', TWICE, 'takes a name twice'],
  ['§7', '400: Create a bucket in a grace period', GRACE, 'refuses buckets in a grace period with 402'],
  [
    '§7',
    '400: Create a bucket with no running service and no bucket yet',
    'are not created without a running service, when there is none yet',
    'makes a first bucket without a running service',
  ],
  [
    '§7',
    '404: Get a bucket that is missing',
    'do not exist when somebody has deleted them',
    'shows buckets that were deleted',
  ],
  [
    '§7',
    '404: Get a bucket of another account',
    'do not exist for another account',
    'shows the buckets of other accounts',
  ],
  ['§8', 'Buckets per account: 50', 'are 50 at most', 'makes any number of buckets'],
  [
    '§8',
    'Bucket name length: 3 to 40, no shorter and no longer',
    'are not created with a name of %s characters',
    'takes names of any length',
  ],
  [
    '§8',
    'Bucket name length: 3 to 40, these two included',
    'are created with a name of %s characters',
    'refuses names of 3 and of 40 characters',
  ],
  ['§8', 'Total storage: no cap, limit_bytes is null', LISTED, 'tells a cap on storage'],
  ['§8', 'Largest file: max_object_size_bytes is 1073741824', LISTED, 'tells another largest file'],
  ['§8', 'A grace period blocks bucket creation', GRACE, 'makes buckets in a grace period'],
]);
