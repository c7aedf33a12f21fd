/** Writes the table of what programs cost into docs/benchmarks.md: `node --import ./test/support/typescript-loader.mjs scripts/program-table.ts`. */
import { readFile, writeFile } from 'node:fs/promises';
import { withCostTable } from '../test/programs/cost-table.ts';

const PAGE = new URL('../docs/benchmarks.md', import.meta.url);

await writeFile(PAGE, withCostTable(await readFile(PAGE, 'utf8')));
