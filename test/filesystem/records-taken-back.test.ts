/** SEMANTICS: the local disk says that it has not taken what is new of a file that waits, and may have: what waited before is sent all the same. */
import { expect, it } from 'vitest';
import { diskNow } from '../support/after-a-crash.ts';
import { denyCommit, refuseCommits } from '../support/journal-commits.ts';
import { openForTest, writeFile } from '../support/open-for-test.ts';
import { errnoOfCall, openToEdit, writeAt } from '../support/program-acts.ts';
import { goneOn } from '../support/public-file.ts';
import { textsOf } from '../support/stored-state.ts';

it.each([
  ['has taken', denyCommit],
  ['has not taken', refuseCommits],
] as const)(
  'after a kill, where a program could not write to it and the disk %s that it is being written [crash/unsent]',
  async (_what, fail) => {
    const scene = await openForTest();
    const { fs, store } = scene;
    store.changeAccount({ gracePeriod: true });
    expect(await errnoOfCall(writeFile(fs, '/f', 'waits'))).toBe('EDQUOT');
    const takesAgain = fail('put draft/', '"state":"open"');
    await expect(writeAt(fs, await openToEdit(fs, '/f'), 'HALF')).rejects.toThrow();
    takesAgain?.();
    // What was to be taken back goes with it.
    expect(await errnoOfCall(writeFile(fs, '/g', 'next'))).toBe('EDQUOT');
    const disk = await diskNow(scene);
    store.changeAccount({ gracePeriod: false });

    expect(await goneOn(disk, scene)).toEqual([]);

    expect(await textsOf(scene)).toEqual({ f: 'waits', g: 'next' });
  },
);
