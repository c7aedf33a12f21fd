#!/usr/bin/env node
/** `npm run test:long`: what takes too long or needs too much for every run; test/long/. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { ensureFuse, ensurePackages, ensureSystemPrograms, TEST_PROGRAMS } from './setup.mjs';
import { build, ROOT, runScript, runVisibly } from './steps.mjs';

await runScript('test:long', async () => {
  if (!existsSync(path.join(ROOT, 'test', 'long'))) {
    console.log('There are no long tests yet: they will be in test/long.');
    return 0;
  }
  ensurePackages();
  ensureFuse();
  ensureSystemPrograms(TEST_PROGRAMS);
  await build();
  const vitest = path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  return runVisibly(process.execPath, [vitest, 'run', '--project=long', ...process.argv.slice(2)]);
});
