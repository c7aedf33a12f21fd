/** Writes the table of settings into docs/CONFIGURATION.md: `node --import ./test/support/typescript-loader.mjs scripts/settings-page.ts`. */
import { readFile, writeFile } from 'node:fs/promises';
import { withSettingsTable } from '../test/docs/settings-page.ts';

const PAGE = new URL('../docs/CONFIGURATION.md', import.meta.url);

await writeFile(PAGE, withSettingsTable(await readFile(PAGE, 'utf8')));
