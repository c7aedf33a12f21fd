/** How many processors does the engine of a serving process take for itself? */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { engineOptions } from '../../src/cli/serving/engine-options.ts';

it.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [5, 4],
  [64, 4],
])('of %i processors it takes at most %i', (processors, threads) => {
  expect(engineOptions(processors)).toContain(`--v8-pool-size=${threads}`);
});

it('is asked in words that it knows', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [...engineOptions(), '-p', '"started"']);

  expect(stdout).toBe('started\n');
});

it('has the memory for new objects from the start', async () => {
  // Together: the size that Node 26 tells is that of what was taken so far.
  const ofSpace = '({ space_used_size, space_available_size }) => space_used_size + space_available_size';
  const told = `(${ofSpace})(v8.getHeapSpaceStatistics().find((each) => each.space_name === 'new_space'))`;
  const sizes = await Promise.all(
    [[], engineOptions()].map(async (options) =>
      Number((await promisify(execFile)(process.execPath, [...options, '-p', told])).stdout),
    ),
  );

  expect(sizes[1]).toBeGreaterThan(8 * (sizes[0] ?? Infinity));
});
