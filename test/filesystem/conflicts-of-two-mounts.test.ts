/** SEMANTICS: two mounts keep edits of one file, which a third program has replaced, in the same second. */
import { expect, it } from 'vitest';
import { mountOver } from '../support/after-a-crash.ts';
import { openForTest } from '../support/open-for-test.ts';
import { openToEdit, writeAt } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it('each edit has a name of its own, though the machine is called the same [conflict/name]', async () => {
  const scene = await openForTest();
  await scene.foreignWrite('notes.txt', 'base');
  const { operations } = await mountOver({ directory: await temporaryDirectory() }, scene);
  const [one, other] = [await openToEdit(scene.fs, '/notes.txt'), await openToEdit(operations, '/notes.txt')];
  await writeAt(scene.fs, one, '1');
  await writeAt(operations, other, '2');
  await scene.foreignWrite('notes.txt', 'theirs');

  await Promise.all([scene.fs.flush(one), operations.flush(other)]);

  expect(Object.values(await textsOf(scene)).sort()).toEqual(['1ase', '2ase', 'theirs']);
});
