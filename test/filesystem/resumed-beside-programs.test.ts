/** SEMANTICS: what programs, and others, have put under the new name of a rename that a crash had cut is not lost to it, nor is what it should move. */
import { expect, it } from 'vitest';
import { mountOver } from '../support/after-a-crash.ts';
import { ended, killedInRename, mountWhileAway, STAYS, type CutRename } from '../support/cut-rename.ts';
import { drained } from '../support/drained.ts';
import { writeFile } from '../support/open-for-test.ts';
import { openToRewrite, writeAt } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

/** The folder has a file that the service does not. */
const WITH_NEW_FILE: CutRename = {
  stored: { 'd/old': 'old' },
  promised: { 'd/new': 'never stored' },
  from: '/d',
  to: '/e',
  at: 'before',
};

const MODES = [
  { writeBack: true, promised: {} },
  { writeBack: false, promised: {} },
  { writeBack: true, promised: { 'd/old': 'promised', f: 'promised' } },
  { writeBack: false, promised: { 'd/old': 'promised', f: 'promised' } },
];

it.each(MODES)(
  'a file of the folder stays where it is while a program writes one under its new name ($writeBack, $promised) [rename/crash]',
  async ({ writeBack, promised }) => {
    const old = 'd/old' in promised ? { 'd/old': 'promised' } : {};
    const stored = { 'd/old': 'old', 'd/other': 'other' };
    const cut = await killedInRename({ stored, promised: old, from: '/d', to: '/e', at: 'before' });
    const { next, log, lookAgain } = await mountWhileAway(cut, writeBack);
    const handle = await openToRewrite(next.operations, '/e/old');
    await writeAt(next.operations, handle, 'PROGRAM');

    await lookAgain();
    await next.operations.flush(handle);
    await next.operations.release(handle);
    await drained(next);

    expect(await textsOf(cut.scene)).toEqual({
      'e/old': 'PROGRAM',
      'd/old': 'old',
      'e/other': 'other',
      ...old,
    });
    expect(log.about(STAYS)).toHaveLength(1);
  },
);

it.each(MODES)(
  'a file stays where it is while a program writes its copy anew ($writeBack, $promised) [rename/crash]',
  async ({ writeBack, promised }) => {
    const own = 'f' in promised ? { f: 'promised' } : {};
    const cut = await killedInRename({
      stored: { f: 'old' },
      promised: own,
      from: '/f',
      to: '/g',
      at: 'after',
    });
    const { next, log, lookAgain } = await mountWhileAway(cut, writeBack);
    const handle = await openToRewrite(next.operations, '/g');
    await writeAt(next.operations, handle, 'PROGRAM');

    await lookAgain();
    await next.operations.flush(handle);
    await next.operations.release(handle);
    await drained(next);

    expect(await textsOf(cut.scene)).toEqual({ f: 'old', ...own, g: 'PROGRAM' });
    expect(log.about(STAYS)).toHaveLength(1);
  },
);

it.each([true, false])(
  'what was never stored stays where it is when a program has closed a file under its new name (write-back %s) [rename/crash]',
  async (writeBack) => {
    const cut = await killedInRename(WITH_NEW_FILE);
    const { next, lookAgain } = await mountWhileAway(cut, writeBack);
    await next.operations.mkdir('/e', 0o755).catch(() => undefined);
    await writeFile(next.operations, '/e/new', 'PROGRAM');

    await lookAgain();
    await drained(next);

    expect(await textsOf(cut.scene)).toEqual({ 'e/old': 'old', 'e/new': 'PROGRAM', 'd/new': 'never stored' });
  },
);

it.each([true, false])(
  'what was never stored stays where it is when others have stored a file under its new name (write-back %s) [rename/crash]',
  async (writeBack) => {
    const cut = await killedInRename(WITH_NEW_FILE);
    await cut.scene.foreignWrite('e/new', 'THEIRS');
    const next = await mountOver(cut.disk, cut.scene, { settings: { writeBack } });

    await ended(next);
    await drained(next);

    expect(await textsOf(cut.scene)).toEqual({ 'e/old': 'old', 'e/new': 'THEIRS', 'd/new': 'never stored' });
  },
);

it('what a program has set of the copy stays when the rename is finished [rename/crash] [attributes/local]', async () => {
  const cut = await killedInRename({ stored: { f: 'old' }, promised: {}, from: '/f', to: '/g', at: 'after' });
  const { next, lookAgain } = await mountWhileAway(cut, true);
  await next.operations.setAttributes('/g', { mode: 0o600, mtime: 1_000_000 });

  await lookAgain();

  expect(await next.operations.getAttributes('/g')).toMatchObject({ mode: 0o600, mtime: 1_000_000 });
});
