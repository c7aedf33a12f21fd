/** SEMANTICS: a program writes on to what it has closed before (--write-back), and the file is removed: nothing of either stays on the local disk. */
import { expect, it } from 'vitest';
import { FailingDisk } from '../support/failing-disk.ts';
import { openForTest, writeFile } from '../support/open-for-test.ts';
import { edit, openToEdit, writeAt } from '../support/program-acts.ts';

it.each(['removed', 'replaced'])('%s, it gives back the room of both [write-back/rename]', async (how) => {
  const localFiles = new FailingDisk();
  const { fs, store } = await openForTest({ settings: { writeBack: true }, localFiles });
  store.changeAccount({ gracePeriod: true });
  await writeFile(fs, '/other', 'other');
  const before = new Set(localFiles.left);
  await writeFile(fs, '/f', 'closed');
  await edit(fs, '/f', 'CLOSED', 0);
  const handle = await openToEdit(fs, '/f');
  await writeAt(fs, handle, 'written on');

  await (how === 'removed' ? fs.unlink('/f') : fs.rename('/other', '/f', false));
  await fs.release(handle);

  expect(localFiles.left).toEqual(before);
});
