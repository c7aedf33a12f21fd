/** Does every promise of SEMANTICS.md have a test that names it, and does no test name one that is gone? */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** As in `[write/close]`. */
const PROMISE = /\[([a-z]+\/[a-z-]+)\]/g;

describe('SEMANTICS.md', () => {
  it('makes no promise without a test, and no test keeps one that it does not make', async () => {
    const promised = promisesIn(await readFile(`${ROOT}/docs/SEMANTICS.md`, 'utf8'));

    const tested = new Set<string>();
    for (const file of await testFiles()) {
      for (const promise of promisesIn(await readFile(file, 'utf8'))) tested.add(promise);
    }

    expect(promised.size).toBeGreaterThan(40);
    expect([...promised].filter((promise) => !tested.has(promise))).toEqual([]);
    expect([...tested].filter((promise) => !promised.has(promise))).toEqual([]);
  });
});

function promisesIn(text: string): Set<string> {
  return new Set([...text.matchAll(PROMISE)].map((match) => match[1] ?? ''));
}

async function testFiles(): Promise<string[]> {
  const entries = await readdir(`${ROOT}/test`, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && entry.name !== 'semantics.test.ts')
    .map((entry) => `${entry.parentPath}/${entry.name}`);
}
