/** SEMANTICS: a person has tried again what failed, while a program renames it: the rename stores it. */
import { expect, it } from 'vitest';
import { HeldAnswers } from '../support/held-answers.ts';
import { openForTest, writeFile } from '../support/open-for-test.ts';
import { textsOf } from '../support/stored-state.ts';

it.each([true, false])(
  'he is told that it is stored, and under which name (write-back %s) [uploads/retry]',
  async (writeBack) => {
    const held = new HeldAnswers();
    const scene = await openForTest({ settings: { writeBack }, between: held.between });
    const { fs, mounted, clock } = scene;
    await scene.foreignWrite('f', 'old');
    scene.store.changeAccount({ gracePeriod: true });
    await writeFile(fs, '/f', 'newer').catch(() => undefined);
    clock.advance(1000);
    await expect.poll(async () => (await mounted.unsent.list())[0]?.state).toBe('failed');
    scene.store.changeAccount({ gracePeriod: false });
    const deletion = held.hold('deleteObject');
    const renaming = fs.rename('/f', '/g', false);
    await deletion.made;

    const retrying = mounted.unsent.retry(null);
    await new Promise(setImmediate);
    deletion.letGo();

    await renaming;
    expect((await retrying).filter(({ kind }) => kind === 'upload')).toMatchObject([
      { path: '/f', isDone: true, storedAs: '/g', reason: null },
    ]);
    expect(await textsOf(scene)).toEqual({ g: 'newer' });
  },
);
