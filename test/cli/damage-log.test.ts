import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { DAMAGE } from '../../src/cli/logging/damage-log.ts';
import { printedMessages } from '../docs/messages.ts';

const SAYING = ['content', 'filesystem'].map((folder) =>
  fileURLToPath(new URL(`../../src/${folder}`, import.meta.url)),
);

it('what a command passes on of a state directory is what is said of it there', async () => {
  const said = new Set(
    (await Promise.all(SAYING.map(printedMessages))).flatMap((texts) => [...texts.keys()]),
  );

  expect([...DAMAGE].filter((text) => !said.has(text))).toEqual([]);
});
