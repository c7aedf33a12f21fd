/** What does a person hear who agrees to a discard only when what was to be discarded does not wait any more, or is something else? */
import { access, readdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { run } from '../../src/cli/program.ts';
import { headerIn } from '../../src/content/draft-file.ts';
import { CONTENT_START, encodeHeader, slotOf } from '../../src/content/draft-header.ts';
import { nodeLocalFiles } from '../../src/content/local-files.ts';
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

describe('of a draft', () => {
  let draft: string;
  let told: () => Promise<Awaited<ReturnType<typeof runHere>>>;

  beforeEach(async () => {
    const { home, server } = await openOwnHome();
    const directory = await leaveBehind(join(home, 'state'), ownerAt(server), 'a');
    const [name = ''] = await readdir(join(directory, 'drafts'));
    draft = join(directory, 'drafts', name);
    await leaveDraft(directory, 'b');
    told = () => runHere(['uploads', 'discard', '--all']);
  });

  const NOT_SHOWN =
    'pailfs: /a is not discarded: it is not what was shown any more: see what it is now, and ask again\n';

  it.each([
    ['longer', () => truncate(draft, CONTENT_START + 1)],
    ['as long', () => describedAnew(draft, { at: 2 })],
  ])(
    'that it is not discarded, when it was written meanwhile, and is %s: those bytes nobody was shown [uploads/discard]',
    async (_, write) => {
      meanwhile = write;

      expect(await told()).toMatchObject({
        code: 1,
        stdout: 'discarded /b\n',
        stderr: expect.stringContaining(NOT_SHOWN) as string,
      });
      await access(draft);
    },
  );

  it('that it is discarded, when the same bytes were tried again meanwhile [uploads/discard]', async () => {
    meanwhile = () => describedAnew(draft, {});

    expect(await told()).toMatchObject({ code: 0, stdout: 'discarded /a\ndiscarded /b\n' });
    await expect(access(draft)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

/** The header of `draft` is written once more, with `change` in what it says of the bytes that a close has promised. */
async function describedAnew(draft: string, change: { readonly at?: number }): Promise<void> {
  const file = await nodeLocalFiles.open(draft);
  const { turn, facts } = await headerIn(file);
  const sealed = facts.sealed === null ? null : { ...facts.sealed, ...change };
  const next = { turn: turn + 1, facts: { ...facts, sealed } };
  await file.write(encodeHeader(next), slotOf(next.turn));
  await file.close();
}
