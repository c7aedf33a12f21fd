/** How are tests run, and what is said of them at the very end, where a log that was cut off still shows it? */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { ROOT, runVisibly, StepFailure } from './steps.mjs';

/** What is shown of a failure: a test that prints a whole file would push the others out of sight. */
const LINES_OF_A_MESSAGE = 8;
const LINES_OF_A_DIFF = 24;
const PLACES = 4;
const LENGTH_OF_A_LINE = 400;

/**
 * Runs vitest once a round, which is a list of projects; `words` go to vitest. Ends with each failure and, as the last line, the
 * counts; `notice` comes just before it. Resolves with the exit code.
 */
export async function runRounds(rounds, words, notice) {
  const results = [];
  for (const projects of rounds) results.push(await runRound(projects, words));
  const passed = results.reduce((sum, round) => sum + round.passed, 0);
  const failures = results.flatMap((round) => round.failures);
  if (passed + failures.length === 0) throw new StepFailure('no test was run: check the words after --');
  for (const failure of failures) console.log(described(failure));
  if (notice !== undefined) console.log(notice);
  console.log(`${passed} passed, ${failures.length} failed`);
  return Math.max(...results.map((round) => round.exitCode));
}

async function runRound(projects, words) {
  const folder = await mkdtemp(path.join(tmpdir(), 'pailfs-test-'));
  try {
    const report = path.join(folder, 'report.json');
    const parameters = [
      path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
      ...['run', '--passWithNoTests', '--reporter=default', '--reporter=./scripts/failure-report.mjs'],
      ...projects.map((name) => `--project=${name}`),
      ...words,
    ];
    const env = { ...process.env, PAILFS_TEST_REPORT: report };
    const exitCode = await runVisibly(process.execPath, parameters, { env });
    return { ...(await readReport(report, exitCode)), exitCode };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function readReport(report, exitCode) {
  try {
    return JSON.parse(await readFile(report, 'utf8'));
  } catch (error) {
    throw new StepFailure(`vitest ended with ${exitCode} and no report: see the lines above`, {
      cause: error,
    });
  }
}

function described({ file, name, errors }) {
  const lines = errors.flatMap(({ message, places, diff }) => [
    ...first(LINES_OF_A_MESSAGE, message),
    ...places.slice(0, PLACES).map((place) => `at ${place}`),
    ...first(LINES_OF_A_DIFF, diff),
  ]);
  return [`FAILED ${file} > ${name}`, ...lines.map((line) => `    ${line}`)].join('\n');
}

function first(count, text) {
  const lines = text.split('\n').filter((line) => line !== '');
  const shown = lines.slice(0, count).map((line) => line.slice(0, LENGTH_OF_A_LINE));
  return lines.length > count ? [...shown, `... and ${lines.length - count} lines more`] : shown;
}
