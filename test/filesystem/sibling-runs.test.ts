/** SEMANTICS: how many small files are fetched that no program opens, when programs open those of a folder in one way or another? */
import { expect, it } from 'vitest';
import { SiblingRuns } from '../../src/filesystem/read/sibling-runs.ts';

const COUNT = 1200;
const places = Array.from({ length: COUNT }, (_, place) => place);
const nameAt = (place: number): string => `f${String(place).padStart(5, '0')}`;

/** So many in a row, and as many left out then. */
const inChunks = (opened: number, skipped: number): number[] =>
  places.filter((place) => place % (opened + skipped) < opened);

/** Several programs, each of which opens the next of its part of the folder when it is its turn. */
const sideBySide = (programs: number): number[] =>
  places.map((turn) => (turn % programs) * (COUNT / programs) + Math.floor(turn / programs));

interface Walked {
  /** Opens that had to ask the service. */
  readonly asked: number;
  readonly fetched: number;
  /** Fetched, and opened by nobody. */
  readonly inVain: number;
}

/** What a mount does that keeps all that it fetched. */
function walk(order: readonly number[], runs = new SiblingRuns(places.map(nameAt))): Walked {
  const ahead = new Set<number>();
  const here = new Set<number>();
  let asked = 0;
  let fetched = 0;
  for (const place of order) {
    if (!here.has(place)) asked += 1;
    here.add(place);
    const run = runs.opened(nameAt(place), ahead.delete(place), null);
    if (run === null || run.isLost || !run.isInOrder) continue;
    for (let next = run.next; next < Math.min(COUNT, run.next + run.window); next += 1) {
      if (here.has(next)) continue;
      ahead.add(next);
      here.add(next);
      run.fetched += 1;
      fetched += 1;
    }
  }
  return { asked, fetched, inVain: ahead.size };
}

it.each([
  ['two of twenty', inChunks(2, 18)],
  ['two of seven', inChunks(2, 5)],
  ['three of thirteen', inChunks(3, 10)],
  ['five of thirty-five', inChunks(5, 30)],
  ['twelve of forty-two', inChunks(12, 30)],
])(
  'a program that opens %s files again and again has less than a tenth fetched in vain [read/siblings]',
  (_what, order) => {
    const { inVain } = walk(order);

    expect(inVain).toBeGreaterThan(0);
    expect(inVain).toBeLessThan(order.length / 10);
  },
);

it.each([
  ['one that opens all', places, 2],
  ['two programs, each half of them', sideBySide(2), 4],
  ['eight programs side by side', sideBySide(8), 16],
])(
  '%s: nothing is fetched in vain, and only the first files are waited for [read/siblings]',
  (_what, order, most) => {
    expect(walk(order)).toEqual({ asked: most, fetched: COUNT - most, inVain: 0 });
  },
);

it('who opens all after others have looked at some waits for one file more, and the next for none more [read/siblings]', () => {
  const runs = new SiblingRuns(places.map(nameAt));
  walk(inChunks(2, 18), runs);

  expect(walk(places, runs).asked).toBe(3);
  expect(walk(places, runs).asked).toBe(2);
});

it('a program whose files were not opened for a while, and goes on, has nobody wait [read/siblings]', () => {
  const runs = new SiblingRuns(places.map(nameAt));
  const others = [300, 400, 500, 600, 700, 800, 900, 1000];
  walk([0, 1, 2, ...others, 1100, 1101, 3], runs);

  expect(walk([200, 201, 202, 203], runs).asked).toBe(2);
});
