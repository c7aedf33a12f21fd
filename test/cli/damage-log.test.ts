import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { DAMAGE } from '../../src/cli/damage-log.ts';
import { printedMessages } from '../docs/messages.ts';

const CONTENT = fileURLToPath(new URL('../../src/content', import.meta.url));

it('what a command passes on of a state directory is what is said of it there', async () => {
  const said = await printedMessages(CONTENT);

  expect([...DAMAGE].filter((text) => !said.has(text))).toEqual([]);
});
