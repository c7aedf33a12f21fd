/** What does a person hear who agrees to a discard only when what was to be discarded does not wait any more, or is something else? */
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { run } from '../../src/cli/program.ts';
import { leaveDraft, leaveBehind } from '../support/left-behind.ts';
import { openOwnHome, ownerAt, runHere } from '../support/run-here.ts';

let meanwhile: () => Promise<unknown>;

vi.mock('../../src/cli/screen/ask-person.ts', () => ({
  agrees: async () => {
    await meanwhile();
    return true;
  },
}));

it('that it is not discarded, which is more than that there is nothing to do [uploads/discard]', async () => {
  const { home, server } = await openOwnHome();
  const directory = await leaveBehind(join(home, 'state'), ownerAt(server), 'a');
  await leaveDraft(directory, 'b');
  meanwhile = () => run(['uploads', 'discard', 'a', '--yes']);

  const told = await runHere(['uploads', 'discard', '--all']);

  const reason = 'it does not wait any more: it was done meanwhile, or newer bytes took its place';
  expect(told.stdout).toBe('discarded /a\ndiscarded /b\n');
  expect(told.stderr).toContain(`pailfs: /a is not discarded: ${reason}\n`);
  expect(told.code).toBe(1);
});

it('that it is not discarded, when it was written meanwhile: those bytes nobody was shown [uploads/discard]', async () => {
  const { home, server } = await openOwnHome();
  const directory = await leaveBehind(join(home, 'state'), ownerAt(server), 'a');
  const [draft = ''] = await readdir(join(directory, 'drafts'));
  await leaveDraft(directory, 'b');
  meanwhile = () => utimes(join(directory, 'drafts', draft), 1, 1);

  const told = await runHere(['uploads', 'discard', '--all']);

  const reason = 'it was written meanwhile: see what it is now, and ask again';
  expect(told.stdout).toBe('discarded /b\n');
  expect(told.stderr).toContain(`pailfs: /a is not discarded: ${reason}\n`);
  expect(told.code).toBe(1);
  expect(await readdir(join(directory, 'drafts'))).toEqual([draft]);
});
