import { describe, expect, it } from 'vitest';
import { HashIndex } from '../../src/base/hash-index.ts';

describe('an index of numbers', () => {
  it('is not written anew for what comes and goes by one hash', () => {
    const known = 1000;
    const rounds = 100_000;
    let asked = 0;
    const index = new HashIndex((number) => {
      asked += 1;
      return Math.min(number, known);
    });
    for (let number = 0; number < known; number += 1) index.add(number);
    asked = 0;

    for (let number = known; number < known + rounds; number += 1) {
      index.add(number);
      index.remove(number);
    }

    // To be put in its place, and to be found there again.
    expect(asked).toBe(2 * rounds);
    expect(index.size).toBe(known);
    for (let number = 0; number < known; number += 1)
      expect(index.find(number, (found) => found === number)).toBe(number);
  });
});
