/** Which tests show the rules that pailfs itself never makes use of? */
import { rowsOf, type CoverageRow } from './row.ts';

const OLD_NAMES = 'prefix=%s and token walks the folder and answers in older fields too';

export const requestRows: readonly CoverageRow[] = [
  ...rowsOf('rules/requests.test.ts', 'request', [
    [
      '§4.11 rule 5',
      'Invalid page (altered, cut short, numeric, never issued): 400 with {error}',
      'for files with a bookmark that is %s is refused with {error}',
      'takes every bookmark of files',
    ],
    [
      '§7',
      '400: List buckets with an invalid page, as a refusal with message',
      'for buckets with a bookmark that was never issued is refused with {message}',
      'refuses a bookmark of buckets with {error}',
    ],
    [
      '§8',
      'List files page size: default 100',
      'for files without a limit gets pages of 100',
      'sends 120 files where no limit is given',
    ],
    [
      '§8',
      'List files page size: most 1000, whatever is asked for',
      'for more than 1000 files at once gets no more, or is refused',
      'takes a limit above 1000 for what it is',
    ],
    [
      '§8',
      'List buckets page size: default 50',
      'for buckets without a limit gets 50',
      'lists 20 buckets where no limit is given',
    ],
    [
      '§8',
      'List buckets page size: most 100',
      'for buckets may have a limit of 100, and no more',
      'takes any limit for buckets',
    ],
  ]),
  ...rowsOf('server/old-names.test.ts', 'request', [
    ['§9', 'prefix still works, for folder', OLD_NAMES, 'does not know prefix'],
    ['§9', 'token still works, for page', OLD_NAMES, 'does not know token'],
    ['§9', 'next_token still works, for next_page', OLD_NAMES, 'does not answer next_token'],
    [
      '§4.11',
      'The older answer carries prefix, with a slash at its end',
      OLD_NAMES,
      'does not end the older prefix with a slash',
    ],
    [
      '§4.11',
      'An invalid token has a text about the page token',
      'refuses an altered token with a text about the token, and a page with one about the page',
      'says page where a token is not valid',
    ],
  ]),
];
