/** SEMANTICS: a person has what a close has promised tried again, which goes up just then, while a program edits the file further. */
import { describe, expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { heldRequests } from '../support/held-requests.ts';
import { holdCommit } from '../support/journal-commits.ts';
import { openForTest, writeFile } from '../support/open-for-test.ts';
import { edit, errnoOfCall, openToEdit, openToRewrite, writeAt } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

it('that is stored, and of the edit nothing before its close', async () => {
  const held = heldRequests('putObject', 'f');
  const scene = await openForTest({ settings: { writeBack: true }, between: held.between });
  const { fs, mounted, clock } = scene;
  await scene.foreignWrite('f', 'old');
  await edit(fs, '/f', 'O', 0);
  const handle = await openToEdit(fs, '/f');
  await writeAt(fs, handle, 'XY');
  clock.advance(1000);
  await held.begun;
  const promised = (await mounted.unsent.list()).find(({ state }) => state !== 'open');

  const retrying = mounted.unsent.retry([promised?.id ?? '']);
  await new Promise(setImmediate);
  held.letGo();

  expect(await retrying).toMatchObject([{ isDone: true, storedAs: null }]);
  expect(await textsOf(scene)).toEqual({ f: 'Old' });
  await fs.flush(handle);
  await fs.release(handle);
  await drained(mounted);
  expect(await textsOf(scene)).toEqual({ f: 'XYd' });
});

describe('what failed is tried again while a program edits the file in place', () => {
  const DOWN = { operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 402 } } as const;

  /** The service has taken no upload of 'Old', and a program has written to it since. */
  async function writtenOn(writeBack: boolean) {
    const scene = await openForTest({ settings: { writeBack } });
    const { fs, mounted, clock } = scene;
    await scene.foreignWrite('f', 'old');
    scene.faults.add(DOWN);
    expect(await errnoOfCall(edit(fs, '/f', 'O', 0))).toBe(writeBack ? 'none' : 'EDQUOT');
    clock.advance(1000);
    await expect.poll(async () => (await mounted.unsent.list())[0]?.state).toBe('failed');
    const handle = await openToEdit(fs, '/f');
    await writeAt(fs, handle, 'XY');
    scene.faults.clear();
    return { ...scene, handle };
  }

  it('that is stored which a close has promised, and of the edit nothing before its close [uploads/half]', async () => {
    const { handle, ...scene } = await writtenOn(true);

    expect(await scene.mounted.unsent.retry(null)).toMatchObject([{ isDone: true, storedAs: null }]);

    expect(await textsOf(scene)).toEqual({ f: 'Old' });
    await scene.fs.flush(handle);
    await scene.fs.release(handle);
    await drained(scene.mounted);
    expect(await textsOf(scene)).toEqual({ f: 'XYd' });
  });

  it('nothing is stored before its close where that is all there is, unless it is named [uploads/half]', async () => {
    const { handle, ...scene } = await writtenOn(false);
    const { unsent } = scene.mounted;

    const [outcome] = await unsent.retry(null);

    expect(outcome).toMatchObject({ isDone: false, reason: 'a program is still writing it' });
    expect(await textsOf(scene)).toEqual({ f: 'old' });
    expect(await unsent.retry([outcome?.id ?? ''])).toMatchObject([{ isDone: true, storedAs: null }]);
    expect(await textsOf(scene)).toEqual({ f: 'XYd' });
    await scene.fs.release(handle);
  });
});

describe('what failed is tried again just while a program opens the file to write it anew', () => {
  it.each([true, false])(
    'nothing takes its place before the close (named: %s) [uploads/half]',
    async (isNamed) => {
      const scene = await openForTest();
      const { fs, mounted } = scene;
      await scene.foreignWrite('f', 'old');
      scene.faults.add({ operation: 'putObject', times: 1, fault: { kind: 'status', status: 402 } });
      expect(await errnoOfCall(writeFile(fs, '/f', 'refused'))).toBe('EDQUOT');
      const [waiting] = await mounted.unsent.list();
      const record = holdCommit('"open"');
      const opening = openToRewrite(fs, '/f');
      await record.made;

      const retrying = mounted.unsent.retry(isNamed ? [waiting?.id ?? ''] : null);
      await new Promise((resolve) => setTimeout(resolve, 20));
      record.letGo();

      expect(await retrying).toMatchObject([{ isDone: false, reason: 'a program is still writing it' }]);
      expect(await textsOf(scene)).toEqual({ f: 'old' });
      const handle = await opening;
      await writeAt(fs, handle, 'new');
      await fs.flush(handle);
      await fs.release(handle);
      expect(await textsOf(scene)).toEqual({ f: 'new' });
    },
  );
});
