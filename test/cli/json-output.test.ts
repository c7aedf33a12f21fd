/** Is what `--json` prints one document, whatever the command, and nothing else on stdout? */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
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
  await mkdir(join(home.home, 'state'));

  const told = await runHere([...name.split(' '), ...words(home), '--json']);

  expect(told.code).toBe(code);
  expect(JSON.parse(told.stdout)).toBeInstanceOf(Object);
});

it('doctor prints one document for programs, whatever it finds', async () => {
  await openOwnHome();

  const told = await runHere(['doctor', '--json']);

  expect(JSON.parse(told.stdout)).toContainEqual(expect.objectContaining({ check: 'base URL', state: 'ok' }));
});

const all = withSubcommands(factsOf(buildProgram('0', () => undefined)));
const taking = all
  .filter(({ options }) => options.some(({ long }) => long === '--json'))
  .map(({ names }) => names.slice(1).join(' '));

it('no command that takes --json is left out here', () => {
  const tried = ['doctor', ...COMMANDS.map(([name]) => name)];
  expect(taking.toSorted()).toEqual(tried.sort());
});

/** What follows each command so that it fails as a whole, the service being away. */
const FAILING: typeof COMMANDS = [
  ...Object.entries(ASKING).map(([name, words]) => [name, words, 1] as const),
  ['uploads', ({ home }) => [home], 1],
  ['uploads retry', () => ['none'], 1],
  ['uploads export', ({ home }) => [join(home, 'local')], 1],
  ['uploads discard', () => [], 2],
  ['status', ({ home }) => [home], 1],
  ['status --watch', ({ home }) => [home], 1],
  // Each thing that these two look at is an outcome of its own.
  ['refresh', () => [''], 2],
  ['doctor', () => ['words'], 2],
];

it('no command that takes --json is left out where one fails', () => {
  expect(FAILING.map(([name]) => name)).toEqual(expect.arrayContaining(taking));
});

it.each(FAILING)(
  '%s prints the error as the document when it fails as a whole',
  async (name, words, code) => {
    const home = await openOwnHome();
    vi.stubEnv('PAILFS_BASE_URL', 'http://127.0.0.1:9');

    const told = await runHere([...name.split(' '), ...words(home), '--json']);

    const [, message] = /^pailfs: (.*)\n$/.exec(told.stderr) ?? [];
    expect(told.code).toBe(code);
    expect(message).toMatch(/./);
    expect(JSON.parse(told.stdout)).toEqual({ error: { message, exitCode: code } });
    expect(told.stdout.trim()).not.toContain('\n');
  },
);

it.each(taking)('%s prints the error as the document when it is called in a wrong way', async (name) => {
  await openOwnHome();

  const told = await runHere([...name.split(' '), '--json', '--nonsense']);

  const message = `unknown option '--nonsense'; "pailfs ${name} --help" shows the usage`;
  expect(told).toMatchObject({ code: 2, stderr: `pailfs: ${message}\n` });
  expect(JSON.parse(told.stdout)).toEqual({ error: { message, exitCode: 2 } });
});

it.each([
  ['without --json', ['ls', 'nobucket']],
  ['after --', ['ls', '--', 'nobucket', '--json']],
])('stdout stays empty %s', async (_, words) => {
  await openOwnHome();

  expect(await runHere(words)).toMatchObject({ code: 1, stdout: '' });
});

it('nothing is done when the error is the document', async () => {
  const { home } = await openOwnHome();

  const told = await runHere(['rm', '-r', '--json', 'photos:f', 'photos:']);
  const got = await runHere(['get', '--json', 'photos:f', 'photos:..', home]);

  // Nobody is here to agree to the second, or it has no name here: so the first is not done either.
  expect(told).toMatchObject({ code: 2, stdout: expect.stringMatching(/^\{"error":/) as string });
  expect(got).toMatchObject({ code: 2, stdout: expect.stringMatching(/^\{"error":/) as string });
  expect(await readdir(home)).not.toContain('f');
  expect(await runHere(['ls', 'photos:f'])).toMatchObject({ code: 0 });
});
