/** What does a terminal show of texts that anybody may have written, and does it fit? */
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  padded,
  printable,
  screenWidth,
  shortened,
  widthOf,
  wrapped,
} from '../../src/cli/screen/screen-text.ts';
import { tableOf, type Column } from '../../src/cli/screen/table.ts';
import { openOwnHome, runHere } from '../support/run-here.ts';
import { uploadOf } from '../support/embedded-service.ts';

const RIGHT_TO_LEFT = '\u202e';

describe('a name', () => {
  it.each([
    ['moves the cursor', 'a\u001b[2Jb\u009b2Jc', 'a?[2Jb?2Jc'],
    ['ends the line', 'a\nb\r\u2028c\u2029d', 'a?b??c?d'],
    ['turns what follows', `photo${RIGHT_TO_LEFT}gpj.exe`, 'photo?gpj.exe'],
    ['hides in what is turned', 'a\u2066b\u2069c', 'a?b?c'],
  ])('that %s does not', (_title, name, shown) => {
    expect(printable(name)).toBe(shown);
  });

  it.each(['צילום.jpg', 'می\u200cخواهم', '👨\u200d👩\u200d👧', 'e\u0301té', '写真'])(
    'of letters is shown as it is: %s',
    (name) => {
      expect(printable(name)).toBe(name);
    },
  );
});

describe('a text', () => {
  it('is as wide as its letters are', () => {
    expect(['abc', '写真', 'e\u0301', '👨\u200d👩\u200d👧'].map(widthOf)).toEqual([3, 4, 1, 2]);
    expect(padded('写真', 6)).toBe('写真  ');
  });

  it.each([
    ['abcdef', 4, 'abc…'],
    ['写真写真', 5, '写真…'],
    ['写真写真', 4, '写…'],
    ['写真', 2, '…'],
    ['写真', 4, '写真'],
    ['abc', 1, '…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
  ])('that is too long is cut between letters: %s to %d', (text, room, cut) => {
    expect(shortened(text, room)).toBe(cut);
  });

  it('is broken where it has to be', () => {
    expect(wrapped('a 写真写真 b', 5)).toEqual(['a', '写真', '写真', 'b']);
    expect(wrapped('one two', 3)).toEqual(['one', 'two']);
  });
});

describe('a terminal', () => {
  const { columns } = process.stdout;
  afterEach(() => {
    process.stdout.columns = columns;
  });

  it.each([
    [80, 80],
    [0, undefined],
  ])('of %d columns is %s wide', (said, width) => {
    process.stdout.columns = said;

    expect(screenWidth()).toBe(width);
  });

  it('that does not say how wide it is gets whole lines', async () => {
    await openOwnHome();
    process.stdout.columns = 0;

    const listed = await runHere(['ls', '-l', 'photos:']);
    const looked = await runHere(['doctor']);

    expect(listed.stdout).toMatch(/^SIZE +MODIFIED +NAME\n5 B .* f\n$/);
    expect(looked.stdout).toMatch(/^settings +ok +complete$/m);
  });

  it('is never told to show a name otherwise than it is, whichever stream has it', async () => {
    const { server } = await openOwnHome();
    const key = `${RIGHT_TO_LEFT}evil\u009b31m`;
    await server.direct.putObject(server.bucket, key, uploadOf('x'));
    vi.stubEnv('PAILFS_VISIBILITY', '');

    const listed = await runHere(['ls', 'photos:']);
    const failed = await runHere(['get', `photos:${key}/`, 'there']);
    const asJson = await runHere(['ls', '--json', 'photos:']);

    expect(listed.stdout).toBe('f\n?evil?31m\n');
    expect(failed.stderr).toBe(
      'pailfs: photos:?evil?31m/ names a folder: name a file in it, or mount the bucket and use cp -r, or rsync\n',
    );
    expect(asJson.stdout).toContain(RIGHT_TO_LEFT);
  });
});

it('a table has as many rows as there are', () => {
  const columns: readonly Column<number>[] = [{ title: 'N', shrinks: true, text: String }];

  const table = tableOf(
    columns,
    Array.from({ length: 200_000 }, (_, index) => index),
    80,
  );

  expect(table.length).toBe(
    'N'.length +
      1 +
      Array.from({ length: 200_000 }, (_, index) => String(index).length + 1).reduce((a, b) => a + b),
  );
});
