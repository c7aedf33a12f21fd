/** SEMANTICS: a program writes on to what it has closed before (--write-back), and the file is removed: nothing of either takes room any more. */
import { expect, it } from 'vitest';
import { FailingDisk } from '../support/failing-disk.ts';
import { openForTest, writeFile } from '../support/open-for-test.ts';
import {
  edit,
  errnoOfCall,
  openToEdit,
  openToRead,
  openToRewrite,
  writeAt,
} from '../support/program-acts.ts';

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

it('removed while a program has it open to read, nobody waits for its room [write/no-space]', async () => {
  const settings = { writeBack: true, cache: 'disk', cacheSize: 100_000 } as const;
  const { fs, store, clock } = await openForTest({ settings });
  store.changeAccount({ gracePeriod: true });
  const most = new Uint8Array(80_000);
  await writeFile(fs, '/f', most);
  const reader = await openToRead(fs, '/f');
  await fs.unlink('/f');
  const other = await openToRewrite(fs, '/other');
  let outcome = 'waits';

  void errnoOfCall(fs.write(other, most, 0)).then((errno) => (outcome = errno));
  // What is noted down of it; far less than writers wait for uploads.
  for (let second = 0; second < 5; second += 1) {
    clock.advance(1000);
    await new Promise(setImmediate);
  }

  await expect.poll(() => outcome, { timeout: 5000 }).toBe('ENOSPC');
  await fs.release(reader);
  await fs.release(other);
});
