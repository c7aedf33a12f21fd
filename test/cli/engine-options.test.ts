/** How many processors does the engine of a serving process take for itself? */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { engineOptions } from '../../src/cli/engine-options.ts';

it.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [5, 4],
  [64, 4],
])('of %i processors it takes at most %i', (processors, threads) => {
  expect(engineOptions(processors)).toEqual([`--v8-pool-size=${threads}`]);
});

it('is asked in words that it knows', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [...engineOptions(), '-p', '"started"']);

  expect(stdout).toBe('started\n');
});
