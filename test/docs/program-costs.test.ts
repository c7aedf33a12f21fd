import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { withCostTable } from '../programs/cost-table.ts';

it('benchmarks.md shows what the tests allow programs to cost', async () => {
  const page = await readFile(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8');

  expect(page, 'scripts/program-table.ts writes it anew').toBe(withCostTable(page));
});
