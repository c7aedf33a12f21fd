import { describe, expect, it } from 'vitest';
import { conflictName, type ConflictMark } from '../../src/filesystem/write/conflict-name.ts';

const MARK: ConflictMark = {
  hostName: 'desk',
  at: new Date(2026, 10, 21, 14, 5, 33),
  draft: '3f2a91c0-7d1e-4b5a',
  number: 1,
};

describe('the name of a conflict copy', () => {
  it.each([
    ['notes.txt', 'notes (conflict desk 2026-11-21 14.05.33 3f2a).txt'],
    ['notes', 'notes (conflict desk 2026-11-21 14.05.33 3f2a)'],
    ['.profile', '.profile (conflict desk 2026-11-21 14.05.33 3f2a)'],
    ['a.tar.gz', 'a.tar (conflict desk 2026-11-21 14.05.33 3f2a).gz'],
    ['ends.', 'ends (conflict desk 2026-11-21 14.05.33 3f2a).'],
    [`a.${'b'.repeat(40)}`, `a.${'b'.repeat(40)} (conflict desk 2026-11-21 14.05.33 3f2a)`],
  ])('of %s is %s', (name, expected) => {
    expect(conflictName(name, MARK)).toBe(expected);
  });

  it('says how many there are already', () => {
    expect(conflictName('a.txt', { ...MARK, number: 2 })).toBe(
      'a (conflict desk 2026-11-21 14.05.33 3f2a 2).txt',
    );
  });

  it.each([
    ['desk.example.com', 'desk'],
    ['Anna’s Mac', 'Anna-s-Mac'],
    ['a/b:c', 'a-b-c'],
    ['', 'unknown'],
    ['h'.repeat(100), 'h'.repeat(63)],
  ])('made on %j calls the machine %s', (hostName, expected) => {
    expect(conflictName('a', { ...MARK, hostName })).toBe(
      `a (conflict ${expected} 2026-11-21 14.05.33 3f2a)`,
    );
  });

  it.each(['x', 'ü', '漢', '🦆'])(
    'is at most 255 bytes of a longest name of %s, and no character is cut in two',
    (character) => {
      const size = Buffer.byteLength(character);
      const name = `${character.repeat(Math.floor(251 / size))}.txt`;

      const made = conflictName(name, { ...MARK, number: 12 });

      const stem = made.slice(0, made.indexOf(' ('));
      expect(Buffer.byteLength(made)).toBeLessThanOrEqual(255);
      expect(Buffer.byteLength(made)).toBeGreaterThan(255 - size);
      expect(stem).toBe(character.repeat(Array.from(stem).length));
      expect(made.endsWith(' (conflict desk 2026-11-21 14.05.33 3f2a 12).txt')).toBe(true);
    },
  );
});
