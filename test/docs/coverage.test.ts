/** Is docs/COVERAGE.md true: does it show the rows of the code, is each named test there, and can each rule be broken? */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { withCoverageTable } from '../rules/page.ts';
import { coverageRows } from '../rules/rows.ts';
import { mutants } from '../mutants/mutants.ts';
import { runRows } from '../mutants/run-rows.ts';

const PAGE = new URL('../../docs/COVERAGE.md', import.meta.url);
/** A run of vitest each; the rest is for `npm run test:mutants`. */
const SAMPLE = ['deletes nothing', 'makes new files public', 'forgets the Content-Type'];

describe('COVERAGE.md', () => {
  it('shows the rules that there are', async () => {
    const page = await readFile(PAGE, 'utf8');

    expect(page, 'scripts/coverage-page.ts writes it anew').toBe(withCoverageTable(page, coverageRows));
  });

  it('names tests that exist', async () => {
    const files = [...new Set(coverageRows.map(({ file }) => file))];
    const read = (file: string): Promise<string> => readFile(new URL(`../${file}`, import.meta.url), 'utf8');
    const texts = new Map(await Promise.all(files.map(async (file) => [file, await read(file)] as const)));

    const missing = coverageRows.filter(
      ({ file, title }) => texts.get(file)?.includes(`'${title}'`) !== true,
    );

    expect(missing).toEqual([]);
  });

  it('has a row for each way to break the server, and no other', () => {
    expect(coverageRows.map(({ mutant }) => mutant).sort()).toEqual([...mutants.keys()].sort());
  });

  it('has a row for each endpoint and each section that has rules', () => {
    const sections = new Set(coverageRows.map(({ section }) => section.split(' ')[0]));

    const endpoints = Array.from({ length: 13 }, (_, at) => `§4.${at + 2}`);
    const expected = [...endpoints, '§3.1', '§3.2', '§7', '§8', '§9'];
    expect(expected.filter((section) => !sections.has(section))).toEqual([]);
  });

  it('has a row for the level of credentials that each endpoint wants', () => {
    const sections = coverageRows.filter(({ rule }) => /^Access: Read( & write)?$/.test(rule));

    expect(sections.map(({ section }) => section)).toEqual(
      Array.from({ length: 13 }, (_, at) => `§4.${at + 2}`),
    );
  });

  it('has no two ways to break the server that are the same', () => {
    const texts = [...mutants.values()].map((mutant) => mutant.toString().replaceAll(/\s+/g, ' '));

    expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([]);
  });
});

// Several runs of vitest each.
describe('a row of COVERAGE.md', { timeout: 300_000 }, () => {
  it('fails when its rule is broken, as a sample shows', async () => {
    const sample = coverageRows.filter(({ mutant }) => SAMPLE.includes(mutant));

    const outcomes = await runRows(sample, () => undefined);

    expect(outcomes.map(({ problem }) => problem)).toEqual([null, null, null]);
  });

  it('is found out when its test shows something else, or is not there', async () => {
    const [row] = coverageRows;
    if (row === undefined) throw new Error('there are no rows');
    const file = 'rules/files.test.ts';

    const outcomes = await runRows(
      [
        { ...row, file, title: 'are read as they were stored', mutant: 'makes new files public' },
        { ...row, file, title: 'are no test at all' },
      ],
      () => undefined,
    );

    const problems = outcomes.map(({ problem }) => problem);
    expect(problems).toEqual(['survives in 3 of 3 tests', 'there is no test of this title']);
  });
});
