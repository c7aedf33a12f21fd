/** When is the file of a group of blocks closed? Also while it is used, when the mount has too many open, or somebody has deleted it. */
import { execFile } from 'node:child_process';
import { readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { DirectWrites } from '../../src/content/direct-writes.ts';
import { DiskCalls } from '../../src/content/disk-calls.ts';
import type { BlockRun } from '../../src/content/disk-cache/block-run.ts';
import { GroupFile, type GroupPlace } from '../../src/content/disk-cache/group-file.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const BLOCK = 16;
const run = (first: number): BlockRun => ({ first, blocks: [Buffer.alloc(BLOCK, first + 1)] });

let at: GroupPlace;

beforeEach(async () => {
  const direct = new DirectWrites({ isAligned: () => false, isBehind: () => false, log: silentLog });
  const path = join(await temporaryDirectory(), 'group');
  at = { path, hash: 'ab'.repeat(32), blockSize: BLOCK, calls: new DiskCalls(new ManualClock()), direct };
});

async function areOpen(): Promise<number> {
  const numbers = await readdir('/proc/self/fd');
  const targets = await Promise.all(numbers.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return targets.filter((target) => target.startsWith(at.path)).length;
}

it.skipIf(process.platform !== 'linux')(
  'what is being written then is written to its end, and only then is the file closed',
  async () => {
    const file = GroupFile.missing(at);
    await file.write([run(0)]);

    const writing = file.write([run(3), run(5)]);
    await file.close();
    await writing;

    expect(await areOpen()).toBe(0);
    const later = await GroupFile.open(at);
    expect([0, 3, 5].map((index) => later.has(index))).toEqual([true, true, true]);
    await later.close();
  },
);

it('what is being read then is read to its end', async () => {
  const file = GroupFile.missing(at);
  await file.write([run(0)]);
  const into = Buffer.alloc(BLOCK);

  const reading = file.read(0, into);
  await file.close();

  expect([await reading, into]).toEqual([true, Buffer.alloc(BLOCK, 1)]);
});

it('a file that somebody has deleted has no name, and one that was let go of is not taken for such', async () => {
  const file = GroupFile.missing(at);
  await file.write([run(0)]);
  const before = await file.hasName();
  await rm(at.path);
  const deleted = await file.hasName();
  await file.close();

  expect([before, deleted, await file.hasName()]).toEqual([true, false, true]);
});

it('a file that was let go of, deleted, and made anew has none of the blocks that the old one had', async () => {
  const file = GroupFile.missing(at);
  await file.write([run(0)]);
  await file.close();
  await rm(at.path);

  await file.write([run(5)]);

  expect([file.has(0), file.has(5)]).toEqual([false, true]);
});

it.skipIf(process.platform !== 'linux').each([
  ['holds something else', (path: string) => writeFile(path, Buffer.alloc(8192, 'x'))],
  ['is cut in its header', (path: string) => writeFile(path, 'pailfs')],
  ['is a pipe', (path: string) => promisify(execFile)('mkfifo', [path])],
])('one that %s is not held open', async (_what, make) => {
  await make(at.path);

  const file = await GroupFile.open(at);

  expect([file.has(0), await areOpen()]).toEqual([false, 0]);
});
