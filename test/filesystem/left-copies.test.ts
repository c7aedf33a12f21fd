/** SEMANTICS: a file is renamed over one that waits, and the service refuses the last step: then the waiting one is removed, or renamed. */
import { expect, it } from 'vitest';
import { keyOfPath, parentOf } from '../../src/store/keys.ts';
import { drained } from '../support/drained.ts';
import { names, openForTest, readFile, writeFile, type TestOptions } from '../support/open-for-test.ts';
import { errnoOfCall } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';
import { TriedTwice } from '../support/tried-twice.ts';

/** Longer than names are trusted. */
const LATER = 11_000;

interface LeftAt {
  readonly writeBack: boolean;
  /** Whether the waiting file was stored before, as `before`. */
  readonly wasStored?: boolean;
  readonly waiting?: string;
  readonly between?: TestOptions['between'];
}

/** /f is stored; of /g, or `waiting`, `promised` waits, and the copy that a rename of /f over it has left is stored under its name. */
async function withLeftCopy({ writeBack, wasStored = false, waiting = '/g', between }: LeftAt) {
  const scene = await openForTest({ settings: { writeBack }, ...(between !== undefined && { between }) });
  const { fs, clock, mounted, store, faults } = scene;
  await scene.foreignWrite('f', 'source');
  if (parentOf(waiting) !== '/') await fs.mkdir(parentOf(waiting), 0o755);
  if (wasStored) await scene.foreignWrite(keyOfPath(waiting), 'before');
  await names(fs, '/');
  store.changeAccount({ gracePeriod: true });
  await writeFile(fs, waiting, 'promised').catch(() => undefined);
  clock.advance(1000);
  await expect.poll(async () => (await mounted.unsent.list()).map(({ state }) => state)).toEqual(['failed']);
  store.changeAccount({ gracePeriod: false });
  faults.add({ operation: 'deleteObject', key: 'f', fault: { kind: 'status', status: 403 } });
  expect(await errnoOfCall(fs.rename('/f', waiting, false))).toBe('EACCES');
  expect((await readFile(fs, waiting)).toString()).toBe('promised');
  return scene;
}

const EACH = [true, false].flatMap((writeBack) =>
  [true, false].map((wasStored) => ({ writeBack, wasStored })),
);
const CASE = '(write-back $writeBack, stored before $wasStored)';

it.each(EACH)(`removed, it is gone, and the other file stays ${CASE} [rename/undo]`, async (left) => {
  const scene = await withLeftCopy(left);
  const { fs, mounted, clock } = scene;

  await fs.unlink('/g');

  expect(await names(fs, '/')).toEqual(['f']);
  await drained(mounted);
  clock.advance(LATER);
  expect(await names(fs, '/')).toEqual(['f']);
  expect(await textsOf(scene)).toEqual({ f: 'source' });
  expect(await mounted.unsent.list()).toEqual([]);
});

it.each(EACH)(`renamed, nothing is left at its old name ${CASE} [rename/undo]`, async (left) => {
  const scene = await withLeftCopy(left);
  const { fs, mounted, clock } = scene;

  await fs.rename('/g', '/h', false);

  expect(await names(fs, '/')).toEqual(['f', 'h']);
  await drained(mounted);
  clock.advance(LATER);
  expect(await names(fs, '/')).toEqual(['f', 'h']);
  expect(await textsOf(scene)).toEqual({ f: 'source', h: 'promised' });
  expect(await mounted.unsent.list()).toEqual([]);
});

it.each(EACH)(
  `renamed with its folder, nothing is left at its old name ${CASE} [rename/undo]`,
  async (left) => {
    const scene = await withLeftCopy({ ...left, waiting: '/d/g' });
    const { fs, mounted, clock } = scene;

    await fs.rename('/d', '/e', false);

    await drained(mounted);
    clock.advance(LATER);
    expect(await names(fs, '/')).toEqual(['e', 'f']);
    expect(await textsOf(scene)).toEqual({ f: 'source', 'e/g': 'promised' });
  },
);

it.each(EACH)(`what others have stored there since stays ${CASE} [write-back/version]`, async (left) => {
  const scene = await withLeftCopy(left);
  await scene.foreignWrite('g', 'theirs');
  scene.clock.advance(LATER);

  await scene.fs.rename('/g', '/h', false);

  const unsent = async () => (await scene.mounted.unsent.list()).map(({ reason }) => reason);
  // With write-back a person hears that the copy was not deleted.
  const said = left.writeBack ? ['somebody else has stored another file there'] : [];
  scene.clock.advance(1000);
  await expect.poll(unsent).toEqual(said);
  expect(await textsOf(scene)).toEqual({ f: 'source', g: 'theirs', h: 'promised' });
});

it.each(EACH)(
  `where it is not removed it is stored beside, as before ${CASE} [rename/undo]`,
  async (left) => {
    const scene = await withLeftCopy(left);

    await drained(scene.mounted);

    const stored = await textsOf(scene);
    expect([stored['f'], stored['g']]).toEqual(['source', 'source']);
    expect(Object.values(stored)).toContain('promised');
  },
);

it('what others store there between two tries of its DELETE stays [rename/undo]', async () => {
  let tries: TriedTwice | undefined;
  const scene = await withLeftCopy({
    writeBack: false,
    between: (inner) => (tries = new TriedTwice(inner)),
  });
  const meanwhile = (): Promise<void> => scene.foreignWrite('g', 'theirs');
  if (tries !== undefined) tries.next = { operation: 'deleteObject', key: 'g', first: 'refused', meanwhile };

  await errnoOfCall(scene.fs.unlink('/g'));

  expect(await textsOf(scene)).toEqual({ f: 'source', g: 'theirs' });
});

it('where nobody knows whether its DELETE was done, the name shows what is there once a person discards what waits', async () => {
  const { fs, faults, mounted } = await withLeftCopy({ writeBack: false });
  faults.add({ operation: 'deleteObject', key: 'g', times: Infinity, fault: { kind: 'lost-answer' } });
  expect(await errnoOfCall(fs.unlink('/g'))).toBe('EIO');
  faults.clear();

  await mounted.unsent.discard((await mounted.unsent.list()).map(({ id }) => id));

  expect(await names(fs, '/')).toEqual(['f']);
  expect(await errnoOfCall(readFile(fs, '/g'))).toBe('ENOENT');
});
