/** Which tests show what answers are, where pailfs itself does not look? */
import { rowsOf, type CoverageRow } from './row.ts';

const UPLOADED = 'to who uploads tells bucket, key and size';
const FOLDER = 'to who creates the folder %s is 201, names it with a slash, and has no data';
const LINK = 'to who asks for a link names bucket, file and visibility';

export const answerRows: readonly CoverageRow[] = rowsOf('rules/answers.test.ts', 'request', [
  [
    '§4.2',
    'message states that buckets were fetched',
    'to who lists buckets says so',
    'gives no message with buckets',
  ],
  [
    '§4.3',
    '201 with the bucket',
    'to who creates a bucket is 201 with the bucket',
    'answers 200 to who creates a bucket',
  ],
  [
    '§4.5',
    '200 with empty data, and a message that the bucket was deleted',
    'to who deletes a bucket is 200, says so, and has no data',
    'answers 204 to who deletes a bucket',
  ],
  ['§4.6', '201 with empty data', FOLDER, 'answers null for data to who creates a folder'],
  [
    '§4.6',
    'message names the folder path with a trailing slash',
    FOLDER,
    'does not name the folder that it made',
  ],
  ['§4.7', 'The answer has bucket, key and size', UPLOADED, 'tells a wrong size of what it stored'],
  [
    '§4.7',
    'Content-Length is required',
    'to who uploads without a Content-Length is no, and nothing is stored',
    'takes uploads without a Content-Length',
  ],
  ...['Content-Type', 'Content-Length', 'ETag', 'Last-Modified'].map(
    (name) =>
      [
        '§4.8',
        `The answer has the header ${name}`,
        `to who downloads has the header ${name}`,
        `downloads without ${name}`,
      ] as const,
  ),
  [
    '§4.8',
    'A missing file: 404 with {error}, whose text says that it does not exist',
    'to who downloads what is not there is 404 with {error}, which says so',
    'says nothing with the 404 of a download',
  ],
  [
    '§4.9',
    '200 with the same headers as a download',
    'to who asks with HEAD has the headers of a download',
    'tells another time with HEAD',
  ],
  [
    '§4.9',
    'The ETag value is quoted',
    'to who asks with HEAD has a quoted ETag',
    'does not quote the ETag of HEAD',
  ],
  [
    '§4.10',
    '204 with empty body',
    'to who deletes a file is 204 without a body',
    'answers 200 to who deletes a file',
  ],
  [
    '§4.10',
    'The same answer if the file was already gone',
    'to who deletes what is gone is the same',
    'answers 404 to who deletes what is gone',
  ],
  [
    '§4.11',
    'bucket: the identifier',
    'to who lists files tells the bucket',
    'lists with the name of the bucket',
  ],
  [
    '§4.11',
    'folder: the folder listed',
    'to who lists the folder %s tells which it is',
    'tells the top as the folder listed',
  ],
  [
    '§4.11',
    'next_page: null on the last page',
    'to who lists the last page has no bookmark',
    'has a bookmark on the last page',
  ],
  [
    '§4.12',
    '200 with the visibility record, in an envelope',
    'to who asks for a visibility names the file',
    'leaves the envelope of a visibility away',
  ],
  [
    '§4.13',
    '200 with the visibility record, in an envelope',
    'to who makes a file %s names the file',
    'leaves the envelope of a changed visibility away',
  ],
  ['§4.14', '200 with the link record (§2.6)', LINK, 'tells another file with a link'],
  ['§4.1', 'Links come in an envelope, too', LINK, 'leaves the envelope of a link away'],
  [
    '§4.14',
    'For a public file expires_at is null',
    'to who asks for a link of a public file has no end',
    'tells an end of a permanent link',
  ],
  [
    '§4.14',
    'expires_at of a temporary link',
    'to who asks for a link of a private file has an end, with its offset',
    'tells no end of the link that it gives',
  ],
  [
    '§4.14',
    'A missing file: 400 with {message}, which says that it does not exist',
    'to who asks for a link of what is not there is 400 with {message}, which says so',
    'answers 404 to who asks for a link of nothing',
  ],
  [
    '§7',
    'Refusal: JSON with message and status',
    'to who may not create a bucket has a message and the status',
    'gives no status with a refusal',
  ],
]);
