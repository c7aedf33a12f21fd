/** SEMANTICS: with write-back, a person wants an edit stored whose file others have replaced, while a program writes that anew. */
import { expect, it } from 'vitest';
import { openForTest } from '../support/open-for-test.ts';
import { edit, openToRewrite, writeAt } from '../support/program-acts.ts';
import { textOf, textOfConflictCopy } from '../support/stored-state.ts';

const CONFLICT = expect.stringContaining('conflict') as string;

it.each([
  { paused: false, outcome: { isDone: true, storedAs: CONFLICT }, copy: 'Base' },
  {
    paused: true,
    outcome: { isDone: false, reason: expect.stringContaining('paused') as string },
    copy: '(none)',
  },
])(
  'the edit is said to be stored, and under which name, once it is (uploads are paused: $paused) [write-back/conflict]',
  async ({ paused, outcome, copy }) => {
    const scene = await openForTest({ settings: { writeBack: true } });
    const { fs, mounted } = scene;
    await scene.foreignWrite('f', 'base');
    await edit(fs, '/f', 'B', 0);
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'anew');
    await scene.foreignWrite('f', 'theirs');
    const closed = (await mounted.unsent.list()).filter(({ isWhole }) => isWhole).map(({ id }) => id);
    scene.store.changeAccount({ gracePeriod: paused });

    expect(await mounted.unsent.retry(closed)).toMatchObject([outcome]);

    expect(await textOf(scene, 'f')).toBe('theirs');
    expect(await textOfConflictCopy(scene)).toBe(copy);
    await fs.release(handle);
  },
);
