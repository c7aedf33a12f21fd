/** SEMANTICS: a person has what a close has promised tried again, which goes up just then, while a program edits the file further. */
import { expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { heldRequests } from '../support/held-requests.ts';
import { openForTest } from '../support/open-for-test.ts';
import { edit, openToEdit, writeAt } from '../support/program-acts.ts';
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
