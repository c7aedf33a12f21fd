/** What does `pailfs uploads` say of files whose unsent bytes somebody has deleted from the state directory? */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { claimStateDirectory } from '../../src/cli/state/state-directory.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { Journal, put } from '../../src/content/journal/journal.ts';
import { draftFactsOf, draftRecordOf } from '../support/journal-records.ts';
import { leaveAnother, leaveBehind, leaveRecords } from '../support/left-behind.ts';
import { openOwnHome, ownerAt, runHere } from '../support/run-here.ts';

/** `gone` had waited, and the file `kept` waits still; both are empty. Resolves with the home. */
async function arrange(): Promise<string> {
  const { home, server } = await openOwnHome();
  const stateHome = join(home, 'state');
  await leaveBehind(stateHome, ownerAt(server), 'kept');
  const state = await claimStateDirectory(stateHome, ownerAt(server));
  const journal = await Journal.open({ directory: state.path, clock: systemClock, log: silentLog });
  await journal.commit([put('draft', draftRecordOf('gone-id', { facts: draftFactsOf('gone') }))]);
  await journal.close();
  await state.release();
  return home;
}

const NAMED = 'its bytes are gone from the state directory';

it('lists them [uploads/list]', async () => {
  await arrange();

  const { stdout } = await runHere(['uploads']);

  expect(stdout).toMatch(new RegExp(` upload +gone +- .* /gone +${NAMED}`));
  expect(stdout).toMatch(/ \/kept /);
});

it.each([
  { action: 'retry', where: [], failure: 'is not stored' },
  { action: 'export', where: ['out'], failure: 'is not exported' },
])('$action names them, and does the rest [uploads/list]', async ({ action, where, failure }) => {
  const home = await arrange();

  const told = await runHere(['uploads', action, ...where.map((name) => join(home, name))]);

  expect(told).toMatchObject({ code: 1, stderr: `pailfs: /gone ${failure}: ${NAMED}\n` });
  expect(told.stdout).toMatch(/kept\n$/);
});

it('retry of another names them, too, since they are forgotten then [uploads/list]', async () => {
  await arrange();

  const told = await runHere(['uploads', 'retry', 'kept']);

  expect(told).toEqual({
    code: 1,
    stdout: 'stored /kept\n',
    stderr: `pailfs: /gone is not stored: ${NAMED}\n`,
  });
});

it('retry of a file that another mount left names them, too [uploads/list]', async () => {
  const { home, server } = await openOwnHome();
  const directory = await leaveBehind(join(home, 'state'), ownerAt(server), 'kept');
  const gone = draftRecordOf('gone-id', { facts: draftFactsOf('gone') });
  await leaveRecords(await leaveAnother(directory), [put('draft', gone)]);

  const told = await runHere(['uploads', 'retry', 'kept']);

  expect(told).toEqual({
    code: 1,
    stdout: 'stored /kept\n',
    stderr: `pailfs: /gone is not stored: ${NAMED}\n`,
  });
});

it('forgets them when a person says so [uploads/offline]', async () => {
  await arrange();

  const told = await runHere(['uploads', 'discard', 'gone-id', '--yes']);

  expect(told).toMatchObject({ code: 0, stdout: 'discarded /gone\n' });
  expect((await runHere(['uploads'])).stdout).not.toContain('/gone');
});
