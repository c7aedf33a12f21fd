/** docs/TROUBLESHOOTING.md: a person who pastes a line of pailfs into the search of the page finds it. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { printedMessages } from './messages.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

async function textsOfPage(): Promise<string[]> {
  const page = await readFile(`${PROJECT}docs/TROUBLESHOOTING.md`, 'utf8');
  const rows = page.slice(page.indexOf('## Reaching the service')).matchAll(/^\| `(.+?)` \|/gm);
  return [...rows].map(([, text]) => text ?? '');
}

it('has each text that pailfs prints when something is wrong', async () => {
  const texts = new Set(await textsOfPage());

  const messages = await printedMessages(`${PROJECT}src`);

  expect(messages.size).toBeGreaterThan(150);
  expect([...messages.keys()].filter((message) => !texts.has(message))).toEqual([]);
});

it('has no text that pailfs does not print', async () => {
  const messages = await printedMessages(`${PROJECT}src`);

  const others = (await textsOfPage()).filter((text) => !messages.has(text));

  // One that a function of its own words, and: what was asked for, with a reason that stands there, too.
  expect(others).toEqual([expect.stringContaining('is not believed'), '…: …']);
});
