/** A file that waits for its upload is removed: what is kept here of the stored version goes, too. */
import { expect, it } from 'vitest';
import { FailingDisk } from '../support/failing-disk.ts';
import { openForTest, readAll } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { openToEdit, writeAt } from '../support/program-acts.ts';

const MIB = 1024 * 1024;
/** Passing: the file waits here. */
const AWAY = { operation: 'putObject', fault: { kind: 'status', status: 503 }, times: Infinity } as const;

it.each([
  ['in memory', {}, 100_000],
  ['in a temporary file, where Range is ignored', { behaviours: { range: 'ignored' } }, 3 * MIB],
] as const)(
  'lets go of what its program had read %s before it wrote [read/memory]',
  async (_where, store, size) => {
    const localFiles = new FailingDisk();
    const settings = { memoryLimit: 4 * MIB };
    const { fs, mounted, faults, foreignWrite } = await openForTest({ store, settings, localFiles });
    await foreignWrite('f', patternedBytes(size));
    const handle = await openToEdit(fs, '/f');
    expect((await readAll(fs, handle)).length).toBe(size);
    await writeAt(fs, handle, 'new');
    faults.add(AWAY);
    await expect(fs.flush(handle)).rejects.toMatchObject({ code: 'EIO' });
    await fs.release(handle);

    await fs.unlink('/f');

    expect(mounted.counts().inMemory).toBe(0);
    await expect.poll(() => [...localFiles.left], { timeout: 2000 }).toEqual([]);
  },
);
