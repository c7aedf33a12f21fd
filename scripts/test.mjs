#!/usr/bin/env node
/** `npm test`: installs what is missing, builds, runs every test. Words after `--` go to vitest (`npm test -- test/cli`). */
import process from 'node:process';
import { ensureFuse, ensurePackages, ensureSystemPrograms, TEST_PROGRAMS } from './setup.mjs';
import { build, runScript } from './steps.mjs';
import { runRounds } from './test-rounds.mjs';

/** What leaves itself out where nobody is root. */
const NEEDS_ROOT =
  'Left out, since they need root: another user looking in, a mount inside a mount, a mount of another user, a full disk, files that the kernel forgets.';
const isRoot = process.getuid?.() === 0;

/** One after the other: real mounts beside busy unit tests would only compete for the processors. */
const ROUNDS = [['unit', 'contract'], ['mount']];

await runScript('test', async () => {
  ensurePackages();
  ensureFuse();
  ensureSystemPrograms(TEST_PROGRAMS);
  await build();
  const words = process.argv.slice(2);
  return isRoot ? runRounds(ROUNDS, words) : runRounds(ROUNDS, words, NEEDS_ROOT);
});
