/** Are texts outside the heap the same as strings in a list or a set? */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HashIndex } from '../../src/base/hash-index.ts';
import { hashOf, TextList } from '../../src/base/text-list.ts';
import { TextSet } from '../../src/base/text-set.ts';

/** Narrow, wide, astral, and half of a pair. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom('', 'é', 'ÿ', 'Ā', '😀', '\ud800', 'e\u0301'),
);

describe('a list of texts', () => {
  it('has them as they were, in the order in which they were added', () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 400 }), (added) => {
        const list = TextList.of(added);

        expect([...list]).toEqual(added);
        expect(added.every((text, index) => list.isAt(index, text))).toBe(true);
        expect(added.map((_, index) => list.hashAt(index))).toEqual(added.map(hashOf));
      }),
    );
  });

  it('tells texts apart that differ in one character, or in its width', () => {
    const list = TextList.of(['name', 'a', 'Ā']);

    expect([list.isAt(0, 'nama'), list.isAt(0, 'nam'), list.isAt(1, 'š'), list.isAt(2, '\0')]).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it('takes few bytes for many, and hardly any for few', () => {
    const many = TextList.of(Array.from({ length: 100_000 }, (_, index) => `file-${index}`));

    expect(many.bytes / many.length).toBeLessThan(20);
    expect(TextList.of(['a', 'b']).bytes).toBeLessThan(400);
    expect(many.at(99_999)).toBe('file-99999');
  });

  it('refuses what is longer than any name, and what it does not have', () => {
    const list = TextList.of(['x'.repeat(16_383), '\u1234'.repeat(16_383)]);

    expect(list.at(1)).toBe('\u1234'.repeat(16_383));
    expect(() => list.add('x'.repeat(16_384))).toThrow(RangeError);
    expect(() => list.at(2)).toThrow(RangeError);
  });
});

describe('a set of texts', () => {
  it('has what was added and not deleted since, whatever the order', () => {
    const act = fc.record({ text: fc.oneof(fc.constantFrom('a', 'b', 'c'), texts), adds: fc.boolean() });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 200 }), (acts) => {
        const [set, expected] = [new TextSet(), new Set<string>()];
        for (const { text, adds } of acts) {
          const number = set.numberOf(text);
          if (adds && number === undefined) set.add(text);
          if (!adds && number !== undefined) set.delete(number);
          if (adds) expected.add(text);
          else expected.delete(text);
        }

        expect(set.size).toBe(expected.size);
        for (const { text } of acts) expect(set.has(text)).toBe(expected.has(text));
      }),
    );
  });
});

describe('an index of numbers', () => {
  it('finds each of many that share few hashes, and gives its memory back', () => {
    const index = new HashIndex((number) => number % 7);
    for (let number = 0; number < 2000; number += 1) index.add(number);
    const { bytes } = index;
    for (let number = 0; number < 2000; number += 1) if (number % 100 !== 0) index.remove(number);

    for (let number = 0; number < 2000; number += 1)
      expect(index.find(number % 7, (found) => found === number)).toBe(
        number % 100 === 0 ? number : undefined,
      );
    expect(index.size).toBe(20);
    expect(index.bytes).toBeLessThan(bytes / 8);
  });

  it('does not remove what it does not have', () => {
    const index = new HashIndex((number) => number);
    index.add(1);

    expect(() => {
      index.remove(2);
    }).toThrow();
    expect(index.size).toBe(1);
  });
});
