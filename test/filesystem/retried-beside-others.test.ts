/** SEMANTICS: a person has what was set aside tried again, which fails for a while: what others store meanwhile is not replaced. */
import { expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { openForTest, writeFile } from '../support/open-for-test.ts';
import { errnoOfCall, openToRewrite, writeAt } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

/** Longer than names are trusted. */
const LATER = 11_000;

it.each([false, true])(
  'it is stored beside that when it is tried once more (write-back %s) [uploads/beside]',
  async (writeBack) => {
    const scene = await openForTest({ settings: { writeBack } });
    const { fs, faults, store, mounted, clock } = scene;
    faults.add({ operation: 'putObject', key: 'f', fault: { kind: 'status', status: 403 } });
    await writeFile(fs, '/f', 'set aside').catch(() => undefined);
    clock.advance(1000);
    await expect
      .poll(async () => (await mounted.unsent.list()).map(({ state }) => state))
      .toEqual(['set aside']);
    store.changeAccount({ gracePeriod: true });
    expect(await mounted.unsent.retry(null)).toMatchObject([{ isDone: false }]);
    store.changeAccount({ gracePeriod: false });
    await scene.foreignWrite('f', 'of somebody else');
    clock.advance(LATER);

    await mounted.unsent.retry(null);

    await expect.poll(() => mounted.unsent.list()).toEqual([]);
    expect(Object.values(await textsOf(scene)).sort()).toEqual(['of somebody else', 'set aside']);
  },
);

it('half a file that was named once is stored beside that by the next mount [uploads/half] [uploads/beside]', async () => {
  const scene = await openForTest();
  const handle = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, handle, 'half');
  const disk = await diskNow(scene);
  await scene.fs.unlink('/f');
  await scene.fs.release(handle);
  scene.store.changeAccount({ gracePeriod: true });
  const next = await mountOver(disk, scene);
  const [half] = await next.unsent.list();
  expect(await next.unsent.retry([half?.id ?? ''])).toMatchObject([{ isDone: false }]);
  scene.store.changeAccount({ gracePeriod: false });
  await scene.foreignWrite('f', 'a whole file');
  scene.clock.advance(LATER);

  const again = await mountOver(await diskNow({ stateDirectory: disk.directory }), scene);
  await again.close({ patience: 1000 });

  const stored = await textsOf(scene);
  expect(stored['f']).toBe('a whole file');
  expect(Object.values(stored).sort()).toEqual(['a whole file', 'half']);
});

it('what failed at its close is tried again at its own name all the same, in the place of what it was to replace', async () => {
  const scene = await openForTest();
  await scene.foreignWrite('f', 'old');
  scene.store.changeAccount({ gracePeriod: true });
  expect(await errnoOfCall(writeFile(scene.fs, '/f', 'new'))).toBe('EDQUOT');
  scene.store.changeAccount({ gracePeriod: false });

  await scene.mounted.unsent.retry(null);

  expect(await textsOf(scene)).toEqual({ f: 'new' });
});
