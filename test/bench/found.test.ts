/** Wrong listings and wrong bytes fail a round of the bench. */
import { describe, expect, it } from 'vitest';
import { foundLines, foundSums, listedSizes, requireFound } from '../../bench/reads/found.ts';

const LISTING = `total 4
-rw-r--r-- 1 root root       12 Nov 22 08:00 name-1.dat
---------- 1 root root 12345678 Jan  2  2026 name 2.dat
drwxr-xr-x 1 root root        0 Nov 22 08:00 folder
`;
const SUM = 'd41d8cd98f00b204e9800998ecf8427e';

describe('what programs say', () => {
  it('is read from ls -l, md5sum and find', () => {
    expect([...listedSizes(LISTING)]).toEqual([
      ['name-1.dat', '12'],
      ['name 2.dat', '12345678'],
    ]);
    expect([...foundSums(`${SUM}  file-1\n`)]).toEqual([['file-1', SUM]]);
    expect([...foundLines('a\na/b\n').keys()]).toEqual(['a', 'a/b']);
  });

  it('is refused when a name is there twice', () => {
    expect(() => foundSums(`${SUM}  file-1\n${SUM}  file-1\n`)).toThrow('a name is there twice');
  });

  it.each([
    ['a wrong value', [['a', '2']], 'a should be there with "1", but 2'],
    ['a missing name', [], 'a should be there with "1", but it is not'],
    [
      'a name too many',
      [
        ['a', '1'],
        ['b', '1'],
      ],
      'b should not be there',
    ],
  ] as const)('%s is an error', (_what, found, message) => {
    expect(() => {
      requireFound(new Map(found), new Map([['a', '1']]));
    }).toThrow(message);
  });

  it('is taken when it is right, in any order', () => {
    const expected = new Map([
      ['a', '1'],
      ['b', '2'],
    ]);

    expect(() => {
      requireFound(new Map([...expected].reverse()), expected);
    }).not.toThrow();
  });
});
