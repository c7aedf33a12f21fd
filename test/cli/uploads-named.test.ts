/** What does a person see of `pailfs uploads` who means several changes: of which is what said, and what when one is named wrongly? */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { leaveBehind } from '../support/left-behind.ts';
import { openOwnHome, ownerAt, runHere } from '../support/run-here.ts';

it.each([
  ['retry', []],
  ['export', ['rescued']],
  ['discard', ['--yes']],
] as const)(
  'pailfs uploads %s does nothing with any of them, and says so [uploads/each]',
  async (action, more) => {
    const { home, server } = await openOwnHome();
    const owner = ownerAt(server);
    await leaveBehind(join(home, 'state'), owner, 'mine');
    for (const accessKeyId of ['one', 'other'])
      await leaveBehind(join(home, 'state'), { ...owner, accessKeyId }, 'twice');
    const before = await runHere(['uploads', '--json']);

    const misspelt = await runHere(['uploads', action, ...more, 'mine', 'msispelt']);
    const unclear = await runHere(['uploads', action, ...more, 'mine', 'twice']);

    const words = 'nothing is done; "pailfs uploads" lists what waits';
    expect(misspelt).toEqual({
      code: 1,
      stdout: '',
      stderr: `pailfs: nothing that waits here is called msispelt: ${words}\n`,
    });
    expect(unclear).toMatchObject({ code: 1, stdout: '' });
    expect(unclear.stderr).toMatch(/^pailfs: twice may be one of \S+, \S+: nothing is done; name it .*\n$/);
    expect(await runHere(['uploads', '--json'])).toEqual(before);
    expect((await server.direct.listObjects(server.bucket, { folder: '' })).objects).toHaveLength(1);
  },
);

it.each([
  ['discard', ['--all', '--yes'], ['discarded /music/d/a', 'discarded /photos/d/a']],
  ['retry', [], ['stored /photos/d/a']],
] as const)(
  'pailfs uploads %s of several buckets says of each file of which it is [buckets/unsent]',
  async (action, more, lines) => {
    const { home, server } = await openOwnHome();
    const owner = ownerAt(server);
    await leaveBehind(join(home, 'state'), owner, 'd/a');
    await leaveBehind(join(home, 'state'), { ...owner, bucket: 'music-1234', bucketName: 'music' }, 'd/a');

    const told = await runHere(['uploads', action, ...more]);

    expect(told.stdout.trim().split('\n').sort()).toEqual(lines);
    if (action === 'retry') expect(told.stderr).toMatch(/^pailfs: \/music\/d\/a is not stored: .*\n$/);
  },
);

it('so does the question whether to discard them', async () => {
  const { home, server } = await openOwnHome();
  const owner = ownerAt(server);
  await leaveBehind(join(home, 'state'), owner, 'd/a');
  await leaveBehind(join(home, 'state'), { ...owner, bucket: 'music-1234', bucketName: 'music' }, 'd/a');

  const { stderr } = await runHere(['uploads', 'discard', '--all']);

  for (const bucket of ['photos', 'music'])
    expect(stderr).toContain(`pailfs: to be discarded: /${bucket}/d/a\n`);
});
