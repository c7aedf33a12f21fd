/** `npm run bench:page -- FILE.json…`: writes what runs of `reads` found into docs/benchmarks.md, with its charts. */
import { readFile, writeFile } from 'node:fs/promises';
import { mergedReport } from '../frame/report-files.ts';
import { READS } from '../reads/reads-suite.ts';
import { readCharts, withReads } from './reads-page.ts';

const PAGE = new URL('../../docs/benchmarks.md', import.meta.url);

async function main(): Promise<void> {
  const texts = await Promise.all(process.argv.slice(2).map((file) => readFile(file, 'utf8')));
  const report = mergedReport(texts, READS);
  const charts = readCharts(report);
  for (const { name, svg } of charts) await writeFile(new URL(name, PAGE), svg);
  await writeFile(PAGE, withReads(await readFile(PAGE, 'utf8'), report, charts));
}

await main();
