/** Is what `--json` prints one document, whatever the command, and nothing else on stdout? */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { factsOf, withSubcommands } from '../../scripts/command-facts.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { ASKING, openOwnHome, runHere, type OwnHome } from '../support/run-here.ts';

/** What follows each command that takes `--json`, with what it ends. */
const COMMANDS: readonly (readonly [
  name: string,
  words: (home: OwnHome) => readonly string[],
  code: number,
])[] = [
  ...Object.entries(ASKING).map(([name, words]) => [name, words, 0] as const),
  ['uploads', () => [], 0],
  ['uploads retry', () => [], 0],
  ['uploads export', ({ home }) => [join(home, 'exported')], 0],
  ['uploads discard', () => ['--all', '--yes'], 0],
  ['status', () => [], 0],
  // It is in no mount.
  ['refresh', ({ home }) => [home], 1],
];

it.each(COMMANDS)('%s prints one document for programs', async (name, words, code) => {
  const home = await openOwnHome();

  const told = await runHere([...name.split(' '), ...words(home), '--json']);

  expect(told.code).toBe(code);
  expect(JSON.parse(told.stdout)).toBeInstanceOf(Object);
});

it('doctor prints one document for programs, whatever it finds', async () => {
  await openOwnHome();

  const told = await runHere(['doctor', '--json']);

  expect(JSON.parse(told.stdout)).toContainEqual(expect.objectContaining({ check: 'base URL', state: 'ok' }));
});

it('no command that takes --json is left out here', () => {
  const all = withSubcommands(factsOf(buildProgram('0', () => undefined)));
  const taking = all.filter(({ options }) => options.some(({ long }) => long === '--json'));

  const tried = ['doctor', ...COMMANDS.map(([name]) => name)];
  expect(taking.map(({ names }) => names.slice(1).join(' ')).sort()).toEqual(tried.sort());
});
