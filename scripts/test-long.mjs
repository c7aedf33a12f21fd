#!/usr/bin/env node
/** `npm run test:long`: what takes too long or needs too much for every run; test/long/. */
import process from 'node:process';
import {
  ensureFuse,
  ensurePackages,
  ensureSystemPrograms,
  LONG_TEST_PROGRAMS,
  TEST_PROGRAMS,
} from './setup.mjs';
import { build, runScript } from './steps.mjs';
import { runRounds } from './test-rounds.mjs';

await runScript('test:long', async () => {
  ensurePackages();
  ensureFuse();
  ensureSystemPrograms([...TEST_PROGRAMS, ...LONG_TEST_PROGRAMS]);
  await build();
  const words = process.argv.slice(2);
  const exitCode = await runRounds([['long']], words);
  if (words.length > 0 || exitCode !== 0) return exitCode;
  // `npm test` plays the same runs of the properties each time; here they are searched.
  Object.assign(process.env, { FC_SEED: 'fresh', FC_RUNS: '3000', ...process.env });
  return runRounds([['unit']], ['property']);
});
