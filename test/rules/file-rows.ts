/** Which tests show the rules of files and folders? */
import { rowsOf, type CoverageRow } from './row.ts';

export const fileRows: readonly CoverageRow[] = rowsOf('rules/files.test.ts', 'mount', [
  [
    '§4.6',
    'POST /buckets/{bucket}/folders: an empty folder is made',
    'are made for others, too',
    'makes no folder that was asked for',
  ],
  [
    '§4.6',
    'folder_path: nested names',
    'are made in folders, too',
    'makes the first of nested folders alone',
  ],
  [
    '§4.7',
    'PUT: the answer is a bare document',
    'are stored as a program wrote them',
    'puts the answer to an upload into an envelope',
  ],
  [
    '§4.7',
    'PUT /{bucket}/{key}: the body is stored',
    'are stored as a program wrote them',
    'stores other bytes than were sent',
  ],
  [
    '§4.7',
    'PUT: Content-Type is stored with the file',
    'keep the type that came with their bytes',
    'forgets the Content-Type',
  ],
  [
    '§4.8',
    'GET /{bucket}/{key}: the bytes',
    'are read as they were stored',
    'sends other bytes than it stores',
  ],
  [
    '§4.8',
    'Content-Type is that with which the file was stored',
    'tell their type with their bytes',
    'downloads everything as text/plain',
  ],
  [
    '§4.9',
    'HEAD /{bucket}/{key}: size and type',
    'show size and type where no listing has told them',
    'tells a wrong size in HEAD',
  ],
  [
    '§4.9',
    'HEAD: whether a file exists',
    'are missing where the service has none',
    'finds every file in HEAD',
  ],
  [
    '§4.10',
    'DELETE /{bucket}/{key}: the file is deleted',
    'are gone for everybody when a program deletes them',
    'deletes nothing',
  ],
  [
    '§3.2',
    'any state, Delete a file: no file; 204 even if it was already gone',
    'can be deleted when somebody else was faster',
    'refuses to delete what is gone',
  ],
  [
    '§3.2',
    'no file, Upload a file: missing folders in its key are made',
    'are there for every file that is stored in them',
    'makes no folders for uploads',
  ],
  [
    '§7',
    '402: Upload a file in a grace period',
    'cannot be stored in a grace period: EDQUOT, and the old bytes stay',
    'refuses uploads in a grace period with 409',
  ],
  [
    '§7',
    '404: Download a file that does not exist',
    'cannot be read any more when somebody has deleted them',
    'sends what was deleted',
  ],
  [
    '§8',
    'A grace period blocks uploads',
    'cannot be stored in a grace period: EDQUOT, and the old bytes stay',
    'takes uploads in a grace period',
  ],
]);
