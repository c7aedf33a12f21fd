/** Which tests show the rules of List files? */
import { rowsOf, type CoverageRow } from './row.ts';

const FILE = 'rules/listings.test.ts';
const WHOLE = 'shows each name of all its pages once';
const LEVEL = 'shows what is in it, and the top what is there';
const ODD = 'is whole though pages are short, empty, of one kind, and lists null';

export const listingRows: readonly CoverageRow[] = [
  ...rowsOf(FILE, 'mount', [
    [
      '§4.11',
      'GET /{bucket}/, folder: the folder to list; empty for the top',
      LEVEL,
      'lists the top whatever folder is asked for',
    ],
    [
      '§4.11',
      'folder: nested names',
      'shows what is in it, however deep it is',
      'lists the first of nested folders',
    ],
    ['§4.11', 'folders: paths that end in /', LEVEL, 'lists folders without a slash'],
    ['§4.11', 'objects: file entries (§2.3)', 'tells size and time of its files', 'lists wrong sizes'],
    ['§4.11', 'objects: key', LEVEL, 'lists keys without their folders'],
    ['§4.11', 'objects: last_modified', 'tells size and time of its files', 'lists wrong times'],
    ['§4.11', 'objects: etag', 'has the ETag that the service tells of it', 'lists wrong ETags'],
    [
      '§4.11',
      'folders and objects may be null: there are none',
      ODD,
      'answers null for files that there are',
    ],
    [
      '§4.11 rule 1',
      'The first page is asked for without page',
      WHOLE,
      'leaves out the first name of a listing',
    ],
    [
      '§4.11 rule 2',
      'Folders and files are collected on every page',
      WHOLE,
      'leaves the folders out of all pages',
    ],
    [
      '§4.11 rule 3',
      'While has_next is true, the next page is that of next_page',
      WHOLE,
      'leaves out the first name of each later page',
    ],
    [
      '§4.11 rule 3',
      'The other parameters stay the same on every page',
      WHOLE,
      'lists the top from the second page on',
    ],
    ['§4.11 rule 4', 'has_next false ends the listing', WHOLE, 'says that nothing follows a first page'],
    [
      '§4.11 rule 5',
      'page is opaque and sent back exactly as received (+, /, =)',
      'is whole whatever characters its bookmarks have',
      'loses the + of a bookmark',
    ],
    [
      '§4.11 rule 5',
      'Bookmarks keep a listing stable when entries go meanwhile',
      'shows the others when names go between its pages',
      'counts positions in its bookmarks',
    ],
    [
      '§4.11 rule 5',
      'Bookmarks keep a listing stable when entries come meanwhile',
      'shows the others when names come between its pages',
      'counts what is left in its bookmarks',
    ],
    ['§4.11 rule 6', 'A page may hold fewer entries than limit', ODD, 'ends a listing at a short page'],
    ['§4.11 rule 6', 'A page may hold only files', ODD, 'ends a listing at a page without folders'],
    ['§4.11 rule 6', 'A page may be empty while has_next is true', ODD, 'ends a listing at an empty page'],
    ['§4.11 rule 6', 'A page may hold only folders', ODD, 'ends a listing at a page without files'],
    [
      '§4.11',
      'Invalid page: 400, and the client restarts from the first page',
      'is read from its beginning, and whole, when a bookmark is not valid any more',
      'answers no names to a bookmark that it never issued',
    ],
    ['§7', 'List files answers the bare document', LEVEL, 'puts a listing into an envelope'],
    [
      '§8',
      'List files page size: most 1000, files and folders together',
      'comes in pages of at most 1000 names, files and folders together',
      'sends all pages in one',
    ],
    [
      '§4.11',
      'limit counts files and folders together',
      'comes in pages of at most 1000 names, files and folders together',
      'counts files and folders apart',
    ],
    ['§9', 'Paths carry no version segment', LEVEL, 'answers only below /v1/'],
    ['§9', 'New code uses folder and page', WHOLE, 'does not know folder and page'],
    ['§9', 'New code uses has_next and next_page', WHOLE, 'does not tell has_next'],
  ]),
  ...rowsOf(FILE, 'command line', [
    [
      '§4.11',
      'Lists one level only',
      'shows one level, and nothing below',
      'lists what is below a folder, too',
    ],
    [
      '§7',
      'Simple error: {error}, for an invalid page of List files',
      'says in the words of the service that a bookmark is not valid',
      'gives no words in {error}',
    ],
  ]),
];
