/** What does the log say of what was not stored when a mount ended? */
import { expect, it } from 'vitest';
import { unsentLine } from '../../src/cli/serving/unsent-line.ts';

const unsent = (count: number): { path: string; file: string; bytes: number; reason: string }[] =>
  Array.from({ length: count }, (_, at) => ({
    path: `/${at}`,
    file: `/state/${at}`,
    bytes: 1,
    reason: 'why',
  }));

it('names each of a few files', () => {
  expect(unsentLine(unsent(3))).toEqual({ all: 3, files: unsent(3) });
});

it('names the first of ten thousands, and says how many there are', () => {
  expect(unsentLine(unsent(20_000))).toEqual({ all: 20_000, files: unsent(100) });
});
