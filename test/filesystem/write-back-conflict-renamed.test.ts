/** SEMANTICS: with write-back and `conflict=fail`, a promised edit whose file somebody else has replaced is not renamed in silence. */
import { expect, it } from 'vitest';
import { mountOver } from '../support/after-a-crash.ts';
import { ended, killedInRename } from '../support/cut-rename.ts';
import { drained } from '../support/drained.ts';
import { openForTest, type FileSystemForTest } from '../support/open-for-test.ts';
import { draftText } from '../support/draft-bytes.ts';
import { edit, openToRewrite, writeAt } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

const settings = { writeBack: true, conflict: 'fail' } as const;

it('a promised edit over which its program writes anew is ESTALE, and is set aside then [conflict/rename] [write-back/conflict]', async () => {
  const scene = await openForTest({ settings });
  const { fs } = scene;
  await scene.foreignWrite('f', 'base');
  await edit(fs, '/f', 'B', 0);
  const handle = await openToRewrite(fs, '/f');
  await writeAt(fs, handle, 'anew');
  await scene.foreignWrite('f', 'them');

  await expect(fs.rename('/f', '/g', false)).rejects.toMatchObject({ code: 'ESTALE' });

  expect(await textsOf(scene)).toEqual({ f: 'them' });
  scene.clock.advance(1000);
  await expect.poll(() => setAside(scene)).toEqual(['Base']);
  await fs.flush(handle);
  await fs.release(handle);
  await drained(scene.mounted);
  expect(await textsOf(scene)).toEqual({ f: 'anew' });
});

it('nor is the file that it was to replace gone when its rename is ESTALE [conflict/rename]', async () => {
  const scene = await openForTest({ settings });
  const { fs } = scene;
  await scene.foreignWrite('f', 'base');
  await scene.foreignWrite('g', 'other');
  await edit(fs, '/f', 'B', 0);
  await scene.foreignWrite('f', 'them');

  await expect(fs.rename('/f', '/g', false)).rejects.toMatchObject({ code: 'ESTALE' });

  expect(await textsOf(scene)).toEqual({ f: 'them', g: 'other' });
});

it('so it is in a folder that is renamed, which is as before then [conflict/rename] [rename/undo]', async () => {
  const scene = await openForTest({ settings });
  const { fs } = scene;
  await scene.foreignWrite('d/f', 'base');
  await edit(fs, '/d/f', 'B', 0);
  const handle = await openToRewrite(fs, '/d/f');
  await writeAt(fs, handle, 'anew');
  await scene.foreignWrite('d/f', 'them');

  await expect(fs.rename('/d', '/e', false)).rejects.toMatchObject({ code: 'ESTALE' });

  expect(await textsOf(scene)).toEqual({ 'd/f': 'them' });
  await fs.release(handle);
});

it('an edit whose rename a crash has cut has its new name, and what others store under the old one is theirs [rename/crash] [conflict/setting]', async () => {
  const cut = {
    stored: { f: 'old' },
    promised: {},
    edited: ' edit',
    from: '/f',
    to: '/g',
    at: 'after',
  } as const;
  const { scene, disk } = await killedInRename(cut);
  await scene.foreignWrite('f', 'theirs');

  const next = await mountOver(disk, scene, { settings });
  await ended(next);
  await drained(next);

  expect(await textsOf(scene)).toEqual({ f: 'theirs', g: 'old edit' });
  expect(await next.unsent.list()).toEqual([]);
});

async function setAside({ mounted }: FileSystemForTest): Promise<string[]> {
  const resting = (await mounted.unsent.list()).filter(({ state }) => state === 'set aside');
  return Promise.all(resting.map(({ file }) => draftText(file ?? '')));
}
