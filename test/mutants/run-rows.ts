/** Does each row's test fail when its rule is broken in the server? */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import pLimit from 'p-limit';
import type { CoverageRow } from '../rules/row.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');
const AT_ONCE = 2;

/** One test that was run. */
interface Result {
  readonly file: string;
  readonly title: string;
  /** The first line of the first failure; null when it passed. */
  readonly failure: string | null;
}

/** What became of a row's tests under its mutant. */
export interface RowOutcome {
  readonly row: CoverageRow;
  /** Why the row shows nothing; null when all is as it should be. */
  readonly problem: string | null;
  /** A reader sees whether the test failed for the right reason. */
  readonly firstFailure: string;
}

/** Rejects when vitest does not run. `told` gets each outcome as soon as it is known. */
export async function runRows(
  rows: readonly CoverageRow[],
  told: (outcome: RowOutcome) => void,
): Promise<readonly RowOutcome[]> {
  const whole = await runTests([...new Set(rows.map(({ file }) => file))], {});
  return pLimit(AT_ONCE).map(rows, async (row) => {
    const broken = await runTests([row.file], { title: row.title, mutant: row.mutant });
    const outcome = outcomeOf(row, ofRow(row, whole), ofRow(row, broken));
    told(outcome);
    return outcome;
  });
}

function ofRow(row: CoverageRow, results: readonly Result[]): readonly Result[] {
  const isMeant = new RegExp(`^${patternOf(row.title)}`);
  return results.filter(({ file, title }) => file === row.file && isMeant.test(title));
}

function outcomeOf(row: CoverageRow, whole: readonly Result[], broken: readonly Result[]): RowOutcome {
  const failures = broken.flatMap(({ failure }) => failure ?? []);
  const failing = whole.find(({ failure }) => failure !== null);
  const [firstFailure = ''] = failures;
  if (whole.length === 0) return { row, problem: 'there is no test of this title', firstFailure };
  if (failing !== undefined) return { row, problem: 'its test fails without the mutant', firstFailure };
  if (broken.length !== whole.length) return { row, problem: 'its tests did not run', firstFailure };
  const left = whole.length - failures.length;
  return { row, problem: left === 0 ? null : `survives in ${left} of ${whole.length} tests`, firstFailure };
}

/** Vitest's own JSON, as far as it matters. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

async function runTests(
  files: readonly string[],
  { title, mutant }: { readonly title?: string; readonly mutant?: string },
): Promise<readonly Result[]> {
  const folder = await mkdtemp(join(tmpdir(), 'pailfs-mutant-'));
  try {
    const report = join(folder, 'report.json');
    const words = [
      ...['run', '--config=vitest.mutants.config.ts', '--reporter=json', `--outputFile=${report}`],
      ...files.map((file) => join('test', file)),
      ...(title === undefined ? [] : ['--testNamePattern', patternOf(title)]),
    ];
    const env = { ...process.env, PAILFS_MUTANT: mutant ?? '' };
    const child = spawn(process.execPath, [VITEST, ...words], { cwd: ROOT, env, stdio: 'ignore' });
    await once(child, 'close');
    return resultsOf(JSON.parse(await readFile(report, 'utf8')) as Report);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function resultsOf({ testResults }: Report): readonly Result[] {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ title, status, failureMessages: [message = 'no message'] }) => ({
        file: relative(join(ROOT, 'test'), name),
        title,
        failure: status === 'passed' ? null : (message.split('\n')[0] ?? ''),
      })),
  );
}

/** Vitest compares with the titles of all suites around a test as well, so only the end is fixed. */
function patternOf(title: string): string {
  const parts = title.split('%s').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return `${parts.join('.+')}$`;
}
