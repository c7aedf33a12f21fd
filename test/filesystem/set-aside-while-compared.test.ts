/** SEMANTICS: what is set aside is compared with what was set aside before. Somebody asks for that meanwhile, or the local disk fails. */
import { expect, it } from 'vitest';
import { writeFile } from '../support/open-for-test.ts';
import { holdCommit, refuseCommits } from '../support/journal-commits.ts';
import { errnoOfCall, LogForTest } from '../support/program-acts.ts';
import { kept, listed, refusing, SlowDisk, texts, told } from '../support/refused-for-good.ts';
import { textsOf } from '../support/stored-state.ts';

it.each([
  ['discard', []],
  ['retry', ['one']],
] as const)(
  'what a person asks to %s while they are compared is theirs, and the newest stays [write/refused-again]',
  async (act, stored) => {
    const localFiles = new SlowDisk();
    const log = new LogForTest();
    const scene = await refusing({ localFiles, log });
    await errnoOfCall(writeFile(scene.fs, '/f', 'one'));
    const [earlier] = await listed(scene);
    let asked: Promise<unknown> = Promise.resolve();
    localFiles.meanwhile = async () => {
      scene.faults.clear();
      localFiles.opened = [];
      asked = scene.mounted.unsent[act]([String(earlier?.id)]);
      if (act === 'discard') await asked;
      // Listed, looked at, and taken: it waits for the name then.
      else
        await expect.poll(() => localFiles.opened.filter((path) => path === earlier?.file)).toHaveLength(3);
    };

    await errnoOfCall(writeFile(scene.fs, '/f', 'one'));

    expect(await asked).toMatchObject([{ isDone: true }]);
    expect(Object.values(await textsOf(scene))).toEqual(stored);
    expect(await texts(scene)).toEqual(['one']);
    expect(await kept(scene)).toHaveLength(1);
    expect(told(log)).toEqual([]);
  },
);

it('what a person asks to retry while they are compared, and cannot be stored yet, stays [write/refused-again]', async () => {
  const localFiles = new SlowDisk();
  const scene = await refusing({ localFiles });
  await errnoOfCall(writeFile(scene.fs, '/f', 'one'));
  const [earlier] = await listed(scene);
  let asked: Promise<unknown> = Promise.resolve();
  localFiles.meanwhile = async () => {
    scene.faults.clear();
    scene.store.changeAccount({ gracePeriod: true });
    localFiles.opened = [];
    asked = scene.mounted.unsent.retry([String(earlier?.id)]);
    await expect.poll(() => localFiles.opened.filter((path) => path === earlier?.file)).toHaveLength(3);
  };

  await errnoOfCall(writeFile(scene.fs, '/f', 'one'));

  expect(await asked).toMatchObject([{ isDone: false }]);
  expect(await texts(scene)).toEqual(['one', 'one']);
  expect((await listed(scene)).map(({ state }) => state).sort()).toEqual(['failed', 'set aside']);
});

it('the log says which of them went, and nothing where none did [write/refused-again]', async () => {
  const log = new LogForTest();
  const scene = await refusing({ log });
  await errnoOfCall(writeFile(scene.fs, '/f', 'one'));
  await errnoOfCall(writeFile(scene.fs, '/f', 'two'));
  const earlier = (await listed(scene)).at(-1);
  expect(told(log)).toEqual([]);

  await errnoOfCall(writeFile(scene.fs, '/f', 'two'));

  expect(told(log)).toMatchObject([{ level: 'info', fields: { path: '/f', draft: earlier?.id } }]);
});

it('while one goes nobody is shown it: who asked for it then would get nothing [write/refused-again]', async () => {
  const scene = await refusing();
  await errnoOfCall(writeFile(scene.fs, '/f', 'one'));
  const [earlier] = await listed(scene);
  const going = holdCommit('del', String(earlier?.id));

  const writing = errnoOfCall(writeFile(scene.fs, '/f', 'one'));
  await going.made;
  const shown = (await listed(scene)).map(({ id }) => id);
  going.letGo();
  await writing;

  expect(shown).toEqual((await listed(scene)).map(({ id }) => id));
  expect(shown).not.toContain(earlier?.id);
});

it('a disk that takes no record of it keeps both, listed [write/refused-again]', async () => {
  const scene = await refusing();
  await errnoOfCall(writeFile(scene.fs, '/f', 'one'));
  const [earlier] = await listed(scene);
  refuseCommits('del', String(earlier?.id));

  expect(await errnoOfCall(writeFile(scene.fs, '/f', 'one'))).toBe('EFBIG');

  expect(await texts(scene)).toEqual(['one', 'one']);
});
