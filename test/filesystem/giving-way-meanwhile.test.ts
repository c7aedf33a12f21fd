/** SEMANTICS: a person has what failed tried again where others have stored the name since; programs rename it, or write it anew, meanwhile. */
import { expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { holdNext } from '../support/hold-next.ts';
import { openForTest, writeFile } from '../support/open-for-test.ts';
import { errnoOfCall, openToRewrite, setXattr, writeAt } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

const SETTINGS = [
  { conflict: 'keep-both' },
  { conflict: 'fail' },
  { conflict: 'overwrite' },
  { writeBack: true },
] as const;

/** A close of /f has failed, others have stored it since, and a person has it tried again: the look at what is there is under way. */
async function looking(settings: (typeof SETTINGS)[number], isNew = false) {
  const scene = await openForTest({ settings });
  const { fs, store, mounted, clock, service } = scene;
  if (!isNew) await scene.foreignWrite('f', 'old');
  await scene.foreignWrite('g', 'target');
  store.changeAccount({ gracePeriod: true });
  await writeFile(fs, '/f', 'closed').catch(() => undefined);
  clock.advance(1000);
  await expect.poll(async () => (await mounted.unsent.list()).map(({ state }) => state)).toEqual(['failed']);
  store.changeAccount({ gracePeriod: false });
  await scene.foreignWrite('f', 'theirs');
  const look = holdNext(service, 'headObject');
  const retrying = mounted.unsent.retry(null);
  await look.begun;
  return { ...scene, look, retrying };
}

it.each(SETTINGS)(
  'renamed, it goes to its new name, and theirs stays (%o) [conflict/rename]',
  async (given) => {
    const scene = await looking(given);
    const renamed = errnoOfCall(scene.fs.rename('/f', '/g', false));
    await new Promise(setImmediate);
    scene.look.letGo();

    await scene.retrying;

    expect(await renamed).toBe('none');
    await drained(scene.mounted);
    expect(await textsOf(scene)).toEqual({ f: 'theirs', g: 'closed' });
  },
);

it.each(SETTINGS)(
  'what a program begins to write anew is stored at the name by its close (%o) [write/rewrite-wins]',
  async (given) => {
    const scene = await looking(given);
    const { fs, mounted } = scene;
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'anew');
    scene.look.letGo();
    await scene.retrying;

    expect(await errnoOfCall(fs.flush(handle))).toBe('none');

    await fs.release(handle);
    await drained(mounted);
    expect((await textsOf(scene))['f']).toBe('anew');
  },
);

it('renamed, it goes beside what others have stored under its new name after that [uploads/beside]', async () => {
  const scene = await looking({ writeBack: true }, true);
  const { fs, look, service } = scene;
  const renamed = fs.rename('/f', '/g', false);
  const hiding = holdNext(service, 'setVisibility');
  await new Promise(setImmediate);
  const hidden = setXattr(fs, '/g', 'user.pailfs.visibility', 'private');
  look.letGo();
  await renamed;
  await hiding.begun;
  await scene.foreignWrite('g', 'stored since');
  hiding.letGo();
  await hidden;

  await scene.retrying;

  await drained(scene.mounted);
  const stored = await textsOf(scene);
  expect([stored['f'], stored['g']]).toEqual(['theirs', 'stored since']);
  expect(Object.values(stored)).toContain('closed');
});
