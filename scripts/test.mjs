#!/usr/bin/env node
/** `npm test`: installs what is missing, builds, runs every test. Words after `--` go to vitest (`npm test -- test/cli`). */
import process from 'node:process';
import { ensureFuse, ensurePackages, ensureSystemPrograms, TEST_PROGRAMS } from './setup.mjs';
import { build, runScript } from './steps.mjs';
import { runRounds } from './test-rounds.mjs';

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
  const words = process.argv.slice(2);
  if (isRoot) return runRounds(ROUNDS, words);
  return runRounds(ROUNDS, [...words, `--exclude=${NEEDS_ROOT.files}`], NEEDS_ROOT.line);
});
