/** The kernel lets go of a file some time after close(2) has returned: the next call may be under way by then. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { heldRequests } from '../support/held-requests.ts';
import { openForTest, readFile } from '../support/open-for-test.ts';
import { openToRewrite, writeAt } from '../support/program-acts.ts';
import { textOf } from '../support/stored-state.ts';

/** What a close has promised goes up so much later, milliseconds. */
const REST = 100;

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

it('nothing stays of a file whose program was killed while its fsync stored it [interrupt/killed] [write-back/fsync]', async () => {
  const upload = heldRequests('putObject');
  const scene = await openForTest({ settings: { writeBack: true }, between: upload.between });
  const { fs, clock, stateDirectory } = scene;
  const handle = await openToRewrite(fs, '/f');
  await writeAt(fs, handle, 'synced');
  const synced = fs.fsync(handle);
  await upload.begun;
  await fs.flush(handle);
  await fs.release(handle);
  upload.letGo();
  await synced;

  clock.advance(REST);

  await expect.poll(() => readdir(join(stateDirectory, 'drafts'))).toEqual([]);
  expect(await textOf(scene, 'f')).toBe('synced');
});
