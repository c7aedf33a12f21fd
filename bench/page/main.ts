/** `npm run bench:page -- FILE.json…`: writes what runs of `reads` and `writes` found into docs/benchmarks.md, with its charts. Exit code 2: wrong usage. */
import { readFile, writeFile } from 'node:fs/promises';
import { mergedReport, suitesIn } from '../frame/report-files.ts';
import { chartsOf, PAGE_PARTS, withPart } from './suite-page.ts';

const PAGE = new URL('../../docs/benchmarks.md', import.meta.url);

async function writePage(files: readonly string[]): Promise<void> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const measured = suitesIn(texts);
  const parts = PAGE_PARTS.filter(({ suite }) => measured.has(suite));
  if (parts.length === 0) throw new Error('no file has a run of a suite that the page shows');
  let page = await readFile(PAGE, 'utf8');
  for (const part of parts) {
    const report = mergedReport(texts, part.suite);
    const charts = chartsOf(part, report);
    for (const { name, svg } of charts) await writeFile(new URL(name, PAGE), svg);
    page = withPart(page, part, report, charts);
  }
  await writeFile(PAGE, page);
}

const [, , ...files] = process.argv;
if (files.length > 0) await writePage(files);
else {
  console.error('usage: npm run bench:page -- FILE.json…');
  process.exitCode = 2;
}
