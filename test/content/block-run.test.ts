/** A disk that is nearly full takes a part of what it is given: what is kept of a file must be its bytes all the same. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { writeTogether } from '../../src/content/disk-cache/block-run.ts';
import { GroupFile } from '../../src/content/disk-cache/group-file.ts';
import { DirectWrites } from '../../src/content/direct-writes.ts';
import { DiskCalls } from '../../src/content/disk-calls.ts';
import { OpenDescriptor } from '../../src/content/open-descriptor.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const BLOCKS = ['first', 'second', 'third'].map((text) => Buffer.from(text));

/** Takes no more than so many bytes of what it is given at once. */
async function slowFile(path: string, most: number): Promise<OpenDescriptor> {
  const file = await OpenDescriptor.open(new DiskCalls(new ManualClock()), path, 'w');
  const whole = file.writeTogether.bind(file);
  file.writeTogether = (data, position) => whole([Buffer.concat(data).subarray(0, most)], position);
  return file;
}

it.each([1, 4, 5, 6, 11, 12, 100])(
  'blocks of which the disk takes %i bytes at a time are all there, each in its place',
  async (most) => {
    const path = join(await temporaryDirectory(), 'file');
    const file = await slowFile(path, most);

    await writeTogether(file, BLOCKS, 3);
    await file.close();

    expect(await readFile(path, 'latin1')).toBe('\0\0\0firstsecondthird');
  },
);

it('a disk that takes nothing is at fault: nobody waits for it for ever', async () => {
  let calls = 0;
  const taking = vi.fn(() => {
    calls += 1;
    return calls > 3 ? Promise.reject(new Error('asked again')) : Promise.resolve(0);
  });
  const file = await OpenDescriptor.open(new DiskCalls(new ManualClock()), '/dev/null', 'w');
  file.writeTogether = taking;

  await expect(writeTogether(file, BLOCKS, 0)).rejects.toMatchObject({ code: 'EIO' });

  await file.close();
});

it('blocks further on in a new file are there after a remount as its first ones are', async () => {
  const direct = new DirectWrites({ isAligned: () => false, isBehind: () => false, log: silentLog });
  const path = join(await temporaryDirectory(), 'group');
  const calls = new DiskCalls(new ManualClock());
  const at = { path, hash: 'ab'.repeat(32), blockSize: 16, calls, direct };
  const file = GroupFile.missing(at);

  await file.write([
    { first: 0, blocks: [Buffer.alloc(16, 'a')] },
    { first: 5, blocks: [Buffer.alloc(16, 'b')] },
  ]);
  await file.close();

  const later = await GroupFile.open(at);
  const into = Buffer.alloc(16);
  expect([later.has(0), await later.read(5, into), into.toString()]).toEqual([true, true, 'b'.repeat(16)]);
  await later.close();
});
