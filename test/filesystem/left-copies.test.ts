/** SEMANTICS: a file is renamed over one that waits, and the service refuses the last step: then the waiting one is removed, or renamed. */
import { expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { errnoOfCall } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

/** Longer than names are trusted. */
const LATER = 11_000;

/** /f is stored; of /g `promised` waits, and the copy that a rename of /f over it has left is stored under its name. */
async function withLeftCopy(writeBack: boolean) {
  const scene = await openForTest({ settings: { writeBack } });
  const { fs, clock, mounted, store, faults } = scene;
  await scene.foreignWrite('f', 'source');
  await names(fs, '/');
  store.changeAccount({ gracePeriod: true });
  await writeFile(fs, '/g', 'promised').catch(() => undefined);
  clock.advance(1000);
  await expect.poll(async () => (await mounted.unsent.list()).map(({ state }) => state)).toEqual(['failed']);
  store.changeAccount({ gracePeriod: false });
  faults.add({ operation: 'deleteObject', key: 'f', fault: { kind: 'status', status: 403 } });
  expect(await errnoOfCall(fs.rename('/f', '/g', false))).toBe('EACCES');
  expect((await readFile(fs, '/g')).toString()).toBe('promised');
  return scene;
}

const BOTH = [true, false];

it.each(BOTH)(
  'removed, it is gone, and the other file stays (write-back %s) [rename/undo]',
  async (writeBack) => {
    const scene = await withLeftCopy(writeBack);
    const { fs, mounted, clock } = scene;

    await fs.unlink('/g');

    expect(await names(fs, '/')).toEqual(['f']);
    await drained(mounted);
    clock.advance(LATER);
    expect(await names(fs, '/')).toEqual(['f']);
    expect(await textsOf(scene)).toEqual({ f: 'source' });
  },
);

it.each(BOTH)('renamed, nothing is left at its old name (write-back %s) [rename/undo]', async (writeBack) => {
  const scene = await withLeftCopy(writeBack);
  const { fs, mounted, clock } = scene;

  await fs.rename('/g', '/h', false);

  expect(await names(fs, '/')).toEqual(['f', 'h']);
  await drained(mounted);
  clock.advance(LATER);
  expect(await names(fs, '/')).toEqual(['f', 'h']);
  expect(await textsOf(scene)).toEqual({ f: 'source', h: 'promised' });
});

it.each(BOTH)(
  'what others have stored there since stays (write-back %s) [write-back/version]',
  async (writeBack) => {
    const scene = await withLeftCopy(writeBack);
    await scene.foreignWrite('g', 'theirs');
    scene.clock.advance(LATER);

    await scene.fs.rename('/g', '/h', false);

    const unsent = async () => (await scene.mounted.unsent.list()).map(({ reason }) => reason);
    // With write-back a person hears that the copy was not deleted.
    const said = writeBack ? ['somebody else has stored another file there'] : [];
    scene.clock.advance(1000);
    await expect.poll(unsent).toEqual(said);
    expect(await textsOf(scene)).toEqual({ f: 'source', g: 'theirs', h: 'promised' });
  },
);

it.each(BOTH)(
  'where it is not removed it is stored beside, as before (write-back %s) [rename/undo]',
  async (writeBack) => {
    const scene = await withLeftCopy(writeBack);

    await drained(scene.mounted);

    const stored = await textsOf(scene);
    expect([stored['f'], stored['g']]).toEqual(['source', 'source']);
    expect(Object.values(stored)).toContain('promised');
  },
);
