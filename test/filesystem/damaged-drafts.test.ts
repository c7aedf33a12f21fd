/** SEMANTICS: the local disk changes bytes that wait for the next mount: those are not stored unasked. */
import { expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { damageDrafts, wipeHeaders } from '../support/draft-bytes.ts';
import { openForTest, writeFile } from '../support/open-for-test.ts';
import { errnoOfCall } from '../support/program-acts.ts';
import { textOf } from '../support/stored-state.ts';

it.each([true, false])(
  'they are set aside, and a person may store them (write-back %s) [crash/unsent]',
  async (writeBack) => {
    const scene = await openForTest();
    scene.store.changeAccount({ gracePeriod: true });
    expect(await errnoOfCall(writeFile(scene.fs, '/f', 'kept'))).toBe('EDQUOT');
    const disk = await diskNow(scene);
    await damageDrafts(disk);
    scene.store.changeAccount({ gracePeriod: false });

    const { unsent } = await mountOver(disk, scene, { settings: { writeBack } });

    await expect.poll(() => unsent.list()).toMatchObject([{ path: '/f', state: 'set aside' }]);
    const [left] = await unsent.list();
    expect(left?.reason).toContain('the local disk has damaged');
    expect(await unsent.retry(null)).toMatchObject([{ isDone: false }]);
    expect(await textOf(scene, 'f')).toBe('(none)');
    expect(await unsent.retry([left?.id ?? ''])).toMatchObject([{ isDone: true }]);
    expect(await textOf(scene, 'f')).toBe('jept');
  },
);

it('one whose header is damaged is named by mount and in the list, with why [crash/half]', async () => {
  const scene = await openForTest();
  scene.store.changeAccount({ gracePeriod: true });
  expect(await errnoOfCall(writeFile(scene.fs, '/f', 'kept'))).toBe('EDQUOT');
  const disk = await diskNow(scene);
  await wipeHeaders(disk);
  scene.store.changeAccount({ gracePeriod: false });

  const next = await mountOver(disk, scene);

  const reason = expect.stringContaining('it cannot be read') as string;
  expect(await next.unsent.list()).toMatchObject([{ path: '/f', state: 'set aside', reason }]);
  expect(next.setAside).toMatchObject([{ key: 'f', reason }]);
});
