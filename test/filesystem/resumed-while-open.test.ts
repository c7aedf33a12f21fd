/** SEMANTICS: a rename that a crash had cut is being finished, and meanwhile programs open its files. */
import { expect, it } from 'vitest';
import type { MountedFileSystem } from '../../src/filesystem/open-file-system.ts';
import { mountOver } from '../support/after-a-crash.ts';
import {
  ended,
  killedInRename,
  mountWhileLooking,
  STAYS,
  type CutRename,
  type Killed,
} from '../support/cut-rename.ts';
import { drained } from '../support/drained.ts';
import { holdNext } from '../support/hold-next.ts';
import { closing, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import {
  LogForTest,
  openToEdit,
  openToRead,
  openToRewrite,
  textAt,
  writeAt,
} from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

const CUT_AFTER: CutRename = { stored: { f: 'old' }, promised: {}, from: '/f', to: '/g', at: 'after' };

/** Of more bytes than a reader is given ahead. */
const LARGE = 'x'.repeat(20_000_000);

it.each([true, false])(
  'a program writes both files anew while the rename is looked at: each keeps what was written to it (write-back %s) [rename/crash]',
  async (writeBack) => {
    const cut = await killedInRename(CUT_AFTER);
    const { next, letGo } = await mountWhileLooking(cut, writeBack);
    const { operations: fs } = next;
    const handles = await Promise.all(['/g', '/f'].map((path) => openToRewrite(fs, path)));
    for (const [index, handle] of handles.entries()) await writeAt(fs, handle, `PROGRAM ${index}`);
    letGo();

    await ended(next);
    for (const handle of handles) await fs.flush(handle);
    for (const handle of handles) await fs.release(handle);
    await drained(next);

    expect(await textsOf(cut.scene)).toEqual({ g: 'PROGRAM 0', f: 'PROGRAM 1' });
  },
);

it.each([true, false])(
  'what a program writes anew under the old name while the rename is looked at stays there (write-back %s) [rename/crash]',
  async (writeBack) => {
    const cut = await killedInRename(CUT_AFTER);
    const { next, log, letGo } = await mountWhileLooking(cut, writeBack);
    const handle = await openToRewrite(next.operations, '/f');
    await writeAt(next.operations, handle, 'PROGRAM');
    letGo();

    await ended(next);
    await next.operations.flush(handle);
    await next.operations.release(handle);
    await drained(next);

    expect(await textsOf(cut.scene)).toEqual({ f: 'PROGRAM', g: 'old' });
    expect(log.about(STAYS)).toHaveLength(1);
  },
);

it('who opens the old name to write while the old file is being deleted finds it gone, or makes a new one [rename/crash]', async () => {
  const cut = await killedInRename(CUT_AFTER);
  const deleting = holdNext(cut.scene.service, 'deleteObject');
  const next = await mountOver(cut.disk, cut.scene, { settings: { writeBack: true } });
  await deleting.begun;
  const editing = openToEdit(next.operations, '/f');
  const writing = writeFile(next.operations, '/f', 'PROGRAM');
  editing.catch(() => undefined);
  deleting.letGo();

  await expect(editing).rejects.toMatchObject({ code: 'ENOENT' });
  await writing;
  await drained(next);

  expect(await textsOf(cut.scene)).toEqual({ f: 'PROGRAM', g: 'old' });
});

it('what a program writes to the new name while a reader has the old file open is what the name shows [rename/crash]', async () => {
  const cut = await killedInRename(CUT_AFTER);
  const { next, letGo } = await mountWhileLooking(cut, true);
  const { operations: fs } = next;
  const reader = await fs.open('/f', { read: true, write: false, truncate: false });
  const handle = await openToRewrite(fs, '/g');
  await writeAt(fs, handle, 'PROGRAM');
  letGo();

  await ended(next);

  expect((await readFile(fs, '/g')).toString()).toBe('PROGRAM');
  await fs.release(reader);
  await fs.flush(handle);
  await fs.release(handle);
  await drained(next);
  expect(await textsOf(cut.scene)).toEqual({ g: 'PROGRAM' });
});

it.each([
  { writeBack: true, promised: {}, stays: 'oldNEW' },
  { writeBack: false, promised: {}, stays: 'oldNEW' },
  { writeBack: true, promised: { f: 'promised' }, stays: 'proNEWed' },
  { writeBack: false, promised: { f: 'promised' }, stays: 'proNEWed' },
])(
  'who has the old file open to write, and the new one too, loses nothing that is written when the rename has ended ($writeBack, $promised) [rename/crash]',
  async ({ writeBack, promised, stays }) => {
    const cut = await killedInRename({ ...CUT_AFTER, promised });
    const { next, log, letGo } = await mountWhileLooking(cut, writeBack);
    const { operations: fs } = next;
    const [old, copy] = [await openToEdit(fs, '/f'), await openToEdit(fs, '/g')];
    letGo();
    await ended(next);

    await closing(fs, old, () => writeAt(fs, old, 'NEW', 3));
    await closing(fs, copy, () => Promise.resolve());
    await drained(next);

    expect(await textsOf(cut.scene)).toEqual({ f: stays, g: 'f' in promised ? 'promised' : 'old' });
    expect(log.about(STAYS)).toHaveLength(1);
  },
);

it.each([true, false])(
  'who opens a promised file to write while it is deleted under its old name loses nothing to who has the new name open (write-back %s) [rename/crash]',
  async (writeBack) => {
    const cut = await killedInRename({ ...CUT_AFTER, promised: { f: 'promised' } });
    const deleting = holdNext(cut.scene.service, 'deleteObject');
    const { next, letGo } = await mountWhileLooking(cut, writeBack);
    const { operations: fs } = next;
    const copy = await openToEdit(fs, '/g');
    letGo();
    await deleting.begun;
    const old = await openToEdit(fs, '/f');
    const writing = writeAt(fs, old, 'NEW', 3);
    deleting.letGo();
    await writing;
    await ended(next);

    await closing(fs, old, () => Promise.resolve());
    await closing(fs, copy, () => Promise.resolve());
    await drained(next);

    expect(await textsOf(cut.scene)).toEqual({ g: 'proNEWed' });
  },
);

it('what was an edit is one still when its rename was given up: what others have stored stays beside it [rename/crash] [conflict/keep-both]', async () => {
  const cut = await killedAfterEdit();
  const { next, letGo } = await mountWhileLooking(cut, true);

  await staysAnEdit(cut, next, letGo);
});

it('what was an edit is one still when its rename was given up after a try that failed [rename/crash] [conflict/keep-both]', async () => {
  const cut = await killedAfterEdit();
  const { clock, faults } = cut.scene;
  const log = new LogForTest();
  faults.add({ operation: 'deleteObject', times: Infinity, fault: { kind: 'status', status: 503 } });
  const next = await mountOver(cut.disk, cut.scene, { settings: { writeBack: true }, log });
  const failures = (): number => {
    clock.advance(500);
    return log.about('could not be finished yet').length;
  };
  await expect.poll(failures, { timeout: 10_000 }).toBe(1);
  faults.clear();

  await staysAnEdit(cut, next, () => {
    clock.advance(31_000);
  });
});

it('what was an edit is one still when a program writes to it while its copy cannot be made public [rename/crash] [conflict/keep-both]', async () => {
  const cut = await killedAfterEdit('f');
  const { clock, faults, service } = cut.scene;
  const log = new LogForTest();
  faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 503 } });
  const publishing = holdNext(service, 'setVisibility');
  const next = await mountOver(cut.disk, cut.scene, { settings: { writeBack: true }, log });
  const { operations: fs } = next;
  await publishing.begun;
  const old = await openToEdit(fs, '/f');
  await writeAt(fs, old, 'NEW', 3);
  publishing.letGo();
  const failures = (): number => {
    clock.advance(500);
    return log.about('could not be finished yet').length;
  };
  await expect.poll(failures, { timeout: 10_000 }).toBe(1);
  faults.clear();
  for (const key of ['f', 'g']) await cut.scene.foreignWrite(key, `THEIR ${key}`);

  clock.advance(31_000);
  await ended(next);
  // What a close had promised goes up while the program still writes.
  await drained(next);

  expect(await textsOf(cut.scene)).toMatchObject({ f: 'THEIR f', g: 'THEIR g' });
  await closing(fs, old, () => Promise.resolve());
  await drained(next);
  const { f, g, ...copies } = await textsOf(cut.scene);
  expect({ f, g, copies: Object.values(copies) }).toEqual({
    f: 'THEIR f',
    g: 'THEIR g',
    copies: ['oldNEWT'],
  });
});

it('who reads the old file goes on when the new one is written anew [rename/crash] [unlink/open]', async () => {
  const cut = await killedInRename({ ...CUT_AFTER, stored: { f: LARGE } });
  const { next, letGo } = await mountWhileLooking(cut, true);
  const { operations: fs } = next;
  const reader = await openToRead(fs, '/f');
  const copy = await openToRewrite(fs, '/g');
  await writeAt(fs, copy, 'PROGRAM');
  letGo();
  await ended(next);
  await closing(fs, copy, () => Promise.resolve());
  await drained(next);

  expect(await textAt(fs, reader, LARGE.length - 3)).toBe('xxx');
  await fs.release(reader);
});

it('who opens the new name to read while the old file is being deleted sees what is written there then [rename/crash]', async () => {
  const cut = await killedInRename(CUT_AFTER);
  const deleting = holdNext(cut.scene.service, 'deleteObject');
  const { next, letGo } = await mountWhileLooking(cut, true);
  const { operations: fs } = next;
  const copy = await openToEdit(fs, '/g');
  letGo();
  await deleting.begun;
  const reader = await openToRead(fs, '/g');
  deleting.letGo();
  await ended(next);
  await writeAt(fs, copy, 'NEW');

  expect(await textAt(fs, reader)).toBe('NEW');
  await fs.release(reader);
  await closing(fs, copy, () => Promise.resolve());
});

it.each([true, false])(
  'a rename of now loses nothing to who writes to what others had replaced under the new name (write-back %s) [rename/handles] [conflict/keep-both]',
  async (writeBack) => {
    const scene = await openForTest({ settings: { writeBack, metadataTtl: 0 } });
    const { fs, mounted } = scene;
    await scene.foreignWrite('f', 'old f');
    await scene.foreignWrite('g', 'old g');
    const replaced = await openToEdit(fs, '/g');
    await writeAt(fs, replaced, 'w');
    await fs.fsync(replaced);
    await scene.foreignWrite('g', 'THEIRS');
    scene.clock.advance(1);
    expect((await readFile(fs, '/g')).toString()).toBe('THEIRS');
    const source = await openToEdit(fs, '/f');
    const deleting = holdNext(scene.service, 'deleteObject');
    const renaming = fs.rename('/f', '/g', false);
    await deleting.begun;
    await writeAt(fs, replaced, 'STALE');
    deleting.letGo();
    await renaming;

    await closing(fs, source, () => writeAt(fs, source, 'NEW'));
    await closing(fs, replaced, () => Promise.resolve());
    await drained(mounted);

    const { g, ...copies } = await textsOf(scene);
    expect({ g, copies: Object.values(copies) }).toEqual({ g: 'NEW f', copies: ['STALE'] });
  },
);

/** Programs edit `f` and hold `g`, others store `f`; `goOn` has the rename looked at then. */
async function staysAnEdit({ scene }: Killed, next: MountedFileSystem, goOn: () => void): Promise<void> {
  const { operations: fs } = next;
  const old = await openToEdit(fs, '/f');
  await writeAt(fs, old, 'NEW', 3);
  const copy = await openToEdit(fs, '/g');
  await scene.foreignWrite('f', 'THEIRS');
  goOn();
  await ended(next);

  await closing(fs, old, () => Promise.resolve());
  await closing(fs, copy, () => Promise.resolve());
  await drained(next);

  const { f, g, ...copies } = await textsOf(scene);
  expect({ f, g, copies: Object.values(copies) }).toEqual({ f: 'THEIRS', g: 'oldEDIT', copies: ['oldNEWT'] });
}

/** As `killedInRename`, of what a close has promised of an edit. */
function killedAfterEdit(published?: 'f'): Promise<Killed> {
  return killedInRename({ ...CUT_AFTER, edited: 'EDIT', ...(published && { published }) });
}
