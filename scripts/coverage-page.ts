/** Writes the table of rules into docs/COVERAGE.md: `node --import ./test/support/typescript-loader.mjs scripts/coverage-page.ts`. */
import { readFile, writeFile } from 'node:fs/promises';
import { withCoverageTable } from '../test/rules/page.ts';
import { coverageRows } from '../test/rules/rows.ts';

const PAGE = new URL('../docs/COVERAGE.md', import.meta.url);

await writeFile(PAGE, withCoverageTable(await readFile(PAGE, 'utf8'), coverageRows));
