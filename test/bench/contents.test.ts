/** What the bench reads: gigabytes that nobody keeps, and folders of names. */
import { describe, expect, it } from 'vitest';
import { hasNeedle, namedFiles, NEEDLE, texts, tree } from '../../bench/contents/file-sets.ts';
import { MOST_AT_ONCE, Pattern } from '../../bench/contents/pattern.ts';

describe('the pattern', () => {
  const pattern = new Pattern();
  const BLOCK = 128 * 1024;

  it('has the same bytes however it is cut, also where it begins again', () => {
    const [start, end] = [16_700_000, 16_800_000];

    const pieces = [...pattern.pieces(0, { start, end }, 1000)];

    expect(Buffer.concat(pieces).equals(pattern.bytes(0, start, end - start))).toBe(true);
    expect(pattern.bytes(0, 16_777_213, 100).equals(pattern.bytes(0, 0, 100))).toBe(true);
  });

  it('has no block twice in a gigabyte, nor in two files at the same place', () => {
    const seen = new Set<string>();
    for (const number of [0, 1, 2, 3])
      for (let start = 0; start < 2 ** 30; start += BLOCK)
        seen.add(pattern.bytes(number, start, 16).toString('hex'));

    expect(seen.size).toBe((4 * 2 ** 30) / BLOCK);
  });

  it('says where bytes are wrong', () => {
    const found = Buffer.from(pattern.bytes(1, 5000, MOST_AT_ONCE));
    found[7] = (found[7] ?? 0) ^ 1;

    expect(() => {
      pattern.check(1, 5000, pattern.bytes(1, 5000, 100));
    }).not.toThrow();
    expect(() => {
      pattern.check(1, 5000, found);
    }).toThrow('wrong bytes in file 1 after 5000');
  });
});

describe('file sets', () => {
  it('have names and sizes that tell them apart', () => {
    const files = namedFiles('names', 60);
    const branches = tree('tree', 3, 2);

    expect(files.map(({ bytes }) => bytes.length).slice(48, 52)).toEqual([48, 49, 0, 1]);
    expect(new Set(branches.map(({ key }) => key)).size).toBe(6);
    expect(branches.at(-1)?.key).toBe('tree/folder-002/name-000001.dat');
  });

  it('hide the needle in some texts of one size', () => {
    const files = texts('texts', 200);

    const found = files.map(({ bytes }) => Buffer.from(bytes).includes(NEEDLE));
    expect(found).toEqual(files.map((_file, index) => hasNeedle(index)));
    expect(found.filter(Boolean)).toHaveLength(3);
    expect(new Set(files.map(({ bytes }) => bytes.length)).size).toBe(1);
  });
});
