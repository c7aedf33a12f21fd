#!/usr/bin/env node
/** `npm test`: installs what is missing, builds, runs every test. Words after `--` go to vitest (`npm test -- test/cli`). */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { ensureFuse, ensurePackages, ensureSystemPrograms, TEST_PROGRAMS } from './setup.mjs';
import { build, ROOT, runScript, runVisibly, StepFailure } from './steps.mjs';

/** What needs root. The first are files; the others leave themselves out. */
const NEEDS_ROOT = {
  files: 'test/mount/kernel-*.test.ts',
  line: 'Left out, since they need root: the kernel driver on real mounts, another user looking in, a mount inside a mount.',
};
const isRoot = process.getuid?.() === 0;

/** One after the other: real mounts beside busy unit tests would only compete for the processors. */
const ROUNDS = [['unit', 'contract'], ['mount']];

await runScript('test', async () => {
  ensurePackages();
  ensureFuse();
  ensureSystemPrograms(TEST_PROGRAMS);
  await build();
  const totals = { passed: 0, failed: 0 };
  let exitCode = 0;
  for (const projects of ROUNDS) {
    const round = await runRound(projects, process.argv.slice(2));
    totals.passed += round.passed;
    totals.failed += round.failed;
    exitCode = Math.max(exitCode, round.exitCode);
  }
  if (totals.passed + totals.failed === 0) throw new StepFailure('no test was run: check the words after --');
  if (!isRoot) console.log(NEEDS_ROOT.line);
  console.log(`${totals.passed} passed, ${totals.failed} failed`);
  return exitCode;
});

async function runRound(projects, filters) {
  const folder = await mkdtemp(path.join(tmpdir(), 'pailfs-test-'));
  try {
    const report = path.join(folder, 'report.json');
    const exitCode = await runVisibly(process.execPath, [
      path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
      ...['run', '--passWithNoTests', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
      ...projects.map((name) => `--project=${name}`),
      ...(isRoot ? [] : [`--exclude=${NEEDS_ROOT.files}`]),
      ...filters,
    ]);
    return { ...(await countsIn(report)), exitCode };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function countsIn(report) {
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(await readFile(report, 'utf8'));
  // A file that could not be loaded holds no test that could fail.
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  return { passed: numPassedTests, failed: numFailedTests + brokenFiles.length };
}
