/** Which tests show what credentials of each level may do? */
import { rowsOf, type CoverageRow } from './row.ts';

const FILE = 'rules/access.test.ts';
const READ = 'Access: Read';
const WRITE = 'Access: Read & write';

export const accessRows: readonly CoverageRow[] = [
  ...rowsOf(FILE, 'command line', [
    ['§4.2', READ, 'lists buckets', 'wants Read & write of who lists buckets'],
    ['§4.3', WRITE, 'creates no bucket', 'wants Read of who creates a bucket'],
    ['§4.4', READ, 'shows a bucket', 'wants Read & write of who looks at a bucket'],
    ['§4.5', WRITE, 'deletes no bucket', 'wants Read of who deletes a bucket'],
    [
      '§5',
      "Another account's bucket behaves as nonexistent",
      'lists none of the buckets',
      'lists the buckets of other accounts',
    ],
  ]),
  ...rowsOf(FILE, 'mount', [
    ['§4.6', WRITE, 'makes no folder', 'wants Read of who creates a folder'],
    ['§4.7', WRITE, 'stores nothing', 'wants Read of who uploads'],
    ['§4.8', READ, 'reads files', 'wants Read & write of who downloads'],
    ['§4.9', READ, 'looks at files', 'wants Read & write of who asks with HEAD'],
    ['§4.10', WRITE, 'deletes nothing', 'wants Read of who deletes a file'],
    ['§4.11', READ, 'lists files', 'wants Read & write of who lists files'],
    ['§4.12', READ, 'tells who may fetch a file', 'wants Read & write of who asks for a visibility'],
    ['§4.13', WRITE, 'publishes nothing', 'wants Read of who sets a visibility'],
    ['§4.14', READ, 'gives links', 'wants Read & write of who asks for a link'],
    [
      '§5',
      'Basic authentication: access key id as user name, secret access key as password',
      'is let in by the access key id and the secret, in this order',
      'wants the secret as the user name',
    ],
    ['§5', 'Read & write also permits everything Read permits', 'reads, too', 'lets only Read read'],
  ]),
];
