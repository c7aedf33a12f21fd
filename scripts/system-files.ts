/** `npm run pages`: writes man/ and completions/ from the parser, and tells npm of the pages in package.json. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { systemFiles } from './system-pages.ts';

const ROOT = new URL('../', import.meta.url);

for (const folder of ['man', 'completions'])
  await rm(new URL(folder, ROOT), { recursive: true, force: true });
for (const [path, text] of await systemFiles()) {
  const file = new URL(path, ROOT);
  await mkdir(new URL('./', file), { recursive: true });
  await writeFile(file, text);
}

const file = new URL('package.json', ROOT);
const facts = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
const man = (await readdir(new URL('man', ROOT))).sort().map((name) => `./man/${name}`);
await writeFile(file, `${JSON.stringify({ ...facts, man }, null, 2)}\n`);
