#!/usr/bin/env node
/** `npm run test:long`: what takes too long or needs too much for every run; test/long/. */
import process from 'node:process';
import { ensureFuse, ensurePackages, ensureSystemPrograms, TEST_PROGRAMS } from './setup.mjs';
import { build, runScript } from './steps.mjs';
import { runRounds } from './test-rounds.mjs';

await runScript('test:long', async () => {
  ensurePackages();
  ensureFuse();
  ensureSystemPrograms(TEST_PROGRAMS);
  await build();
  return runRounds([['long']], process.argv.slice(2));
});
