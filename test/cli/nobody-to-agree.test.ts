/** What does a script get that runs a command which asks first, without a terminal and without --yes? */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { leaveBehind } from '../support/left-behind.ts';
import { openOwnHome, ownerAt, runHere } from '../support/run-here.ts';

/** With what each asks for, and what its exit codes are said to mean. */
const ASKING_FIRST: readonly (readonly [name: string, words: readonly string[], what: string])[] = [
  ['rm', ['-r', 'photos:'], 'delete'],
  ['bucket delete', ['photos'], 'delete'],
  ['uploads discard', ['--all'], 'discard'],
];

it.each(ASKING_FIRST)('pailfs %s does nothing, says so and ends with 2', async (name, words, what) => {
  const { home, server } = await openOwnHome();
  await leaveBehind(join(home, 'state'), ownerAt(server), 'unsent');

  const told = await runHere([...name.split(' '), ...words]);
  const uploads = await runHere(['uploads']);
  const listed = await runHere(['ls', 'photos:']);

  expect(told).toMatchObject({ code: 2, stdout: '' });
  expect(told.stderr).toMatch(new RegExp(`^pailfs: nobody is here to agree to ${what} .*: add --yes$`, 'm'));
  expect(uploads.stdout).toContain('/unsent');
  expect(listed).toMatchObject({ code: 0, stdout: 'f\n' });
});

it.each(ASKING_FIRST)('the help of pailfs %s says that this is 2', async (name, _words, what) => {
  // The exit codes of commands below another stand in its help.
  const { stdout } = await runHere([name.split(' ')[0] ?? '', '--help']);

  const [, codes = ''] = /^Exit codes:(.*?)\n\n/ms.exec(stdout) ?? [];
  expect(codes.replaceAll(/\s+/g, ' ')).toMatch(
    new RegExp(` 2 wrong usage( or settings)?, or nobody there to agree to a ${what}\\.$`),
  );
});
