/** Which tests show the rules of visibility and links? */
import { rowsOf, type CoverageRow } from './row.ts';

export const visibilityRows: readonly CoverageRow[] = rowsOf('rules/visibility.test.ts', 'mount', [
  ['§3.2', 'no file, Upload a file: private', 'is private when it is new', 'makes new files public'],
  [
    '§3.2',
    'private or public, Upload a file: the file is replaced',
    'has the new bytes after a rewrite',
    'keeps the old bytes of a key that exists',
  ],
  [
    '§3.2',
    'private or public, Upload a file: the new file is private',
    'is private after a rewrite that does not publish it again',
    'keeps a replaced file public',
  ],
  [
    '§3.2',
    'private, Set visibility public: the answer carries url',
    'has a permanent link for everybody once it is public',
    'tells no link of a public file',
  ],
  [
    '§3.2',
    'private, Set visibility public: share_url and share_expires_at are null',
    'has no temporary link while it is public',
    'tells a temporary link of a public file',
  ],
  [
    '§3.2',
    'public, Set visibility private: the answer carries share_url',
    'has a temporary link, and no other, once it is private again',
    'tells no temporary link of a private file',
  ],
  [
    '§3.2',
    'public, Set visibility private: the permanent link stops working within about a minute',
    'cannot be fetched by its permanent link a minute after it was made private',
    'serves the permanent link of a private file for ever',
  ],
  [
    '§3.2',
    'Set visibility: only where the file exists',
    'cannot be published when somebody has deleted it',
    'publishes what is not there',
  ],
  [
    '§4.12',
    'GET /buckets/{bucket}/visibility: the visibility',
    'stays public until somebody changes it',
    'tells every file to be private',
  ],
  [
    '§4.13',
    'PUT /buckets/{bucket}/visibility: it is set',
    'stays public until somebody changes it',
    'forgets that a file was made public',
  ],
  [
    '§4.13',
    'PUT: url of a private file is null',
    'has a temporary link, and no other, once it is private again',
    'tells a permanent link of a private file',
  ],
  [
    '§4.13',
    'PUT: share_expires_at of a private file',
    'has a temporary link, and no other, once it is private again',
    'tells no end of a temporary link',
  ],
  [
    '§4.14',
    'POST /buckets/{bucket}/url: the link that suits the state',
    'has the link that suits its visibility',
    'gives a permanent link for a private file',
  ],
  [
    '§7',
    '400: Get a link of a file that does not exist',
    'has no link when somebody has deleted it',
    'gives a link for what is not there',
  ],
]);
