/** SEMANTICS: with write-back who writes to a file that a close has promised gets a copy of it, with its holes. */
import { expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { openForTest } from '../support/open-for-test.ts';
import { edit, openToRewrite, writeAt } from '../support/program-acts.ts';

const MIB = 1024 * 1024;

it('a file that ends with zeros is as long as before after a write to its beginning [write-back/close] [write/edit]', async () => {
  const { fs, mounted, stored } = await openForTest({ settings: { writeBack: true } });
  const handle = await openToRewrite(fs, '/f');
  await writeAt(fs, handle, 'disk', 0);
  await fs.truncate('/f', 2 * MIB, handle);
  await fs.flush(handle);
  await fs.release(handle);

  await edit(fs, '/f', 'D', 0);

  await drained(mounted);
  const content = await stored('f');
  expect([content.length, content.toString('latin1', 0, 5)]).toEqual([2 * MIB, 'Disk\0']);
  expect(content.subarray(4).equals(Buffer.alloc(2 * MIB - 4))).toBe(true);
});
