/** The kernel lets go of a file some time after close(2) has returned: the next call may be under way by then. */
import { expect, it } from 'vitest';
import { openForTest, readFile } from '../support/open-for-test.ts';
import { openToRewrite } from '../support/program-acts.ts';

it.each([1, 5, 20])(
  'a file that is let go of while it is renamed arrives whole (after %i turns)',
  async (turns) => {
    const { fs, stored } = await openForTest();
    const bytes = Buffer.alloc(8 * 1024 * 1024, 7);
    const handle = await openToRewrite(fs, '/a');
    await fs.write(handle, bytes, 0);
    await fs.flush(handle);

    const renaming = fs.rename('/a', '/b', false);
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const releasing = fs.release(handle);
    await Promise.all([renaming, releasing]);

    expect(Buffer.compare(await stored('b'), bytes)).toBe(0);
    expect(Buffer.compare(await readFile(fs, '/b'), bytes)).toBe(0);
  },
);
