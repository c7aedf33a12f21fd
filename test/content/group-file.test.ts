/** What of a group of blocks is on the disk when a call of the disk has failed, or when others have it, too? */
import { readdirSync, realpathSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { alignedMemory, areWholePages } from '../../src/base/aligned-memory.ts';
import { BlockMemory } from '../../src/base/block-memory.ts';
import { DiskCalls } from '../../src/content/disk-calls.ts';
import type { BlockRun } from '../../src/content/disk-cache/block-run.ts';
import { DirectWrites } from '../../src/content/direct-writes.ts';
import { GroupFile, type GroupPlace } from '../../src/content/disk-cache/group-file.ts';
import { OpenGroups } from '../../src/content/disk-cache/open-groups.ts';
import { OpenDescriptor } from '../../src/content/open-descriptor.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const BLOCK = 8192;
const run = (first: number): BlockRun => ({ first, blocks: [Buffer.alloc(BLOCK, first + 1)] });

/** A disk whose short calls of these numbers, from 1 on, fail; `at` is told of each before it is made. */
class FailingCalls extends DiskCalls {
  readonly #failing: readonly number[];
  readonly #at: (count: number) => void;
  #count = 0;

  constructor(failing: readonly number[], at: (count: number) => void = () => undefined) {
    super(new ManualClock());
    this.#failing = failing;
    this.#at = at;
  }

  override make<Result>(here: () => Result, elsewhere: () => Promise<Result>): Promise<Result> {
    this.#count += 1;
    this.#at(this.#count);
    if (this.#failing.includes(this.#count))
      return Promise.reject(Object.assign(new Error('no room'), { code: 'ENOSPC' }));
    return super.make(here, elsewhere);
  }
}

/** `isAligned`: which blocks may be written past the page cache. */
async function place(
  calls: DiskCalls,
  isAligned: (block: Uint8Array) => boolean = () => false,
): Promise<GroupPlace> {
  const direct = new DirectWrites({ isAligned, isBehind: () => false, log: silentLog });
  const path = join(await temporaryDirectory(), 'group');
  return { path, hash: 'ab'.repeat(32), blockSize: BLOCK, calls, direct };
}

it('what a write that failed has left on the disk is counted by the next', async () => {
  // It is created, and gets its header; then the first of two runs whose bytes are on the disk has no room for its places: either of
  // them, since they are written side by side.
  const at = await place(new FailingCalls([3]));
  const file = GroupFile.missing(at);
  await expect(file.write([run(0), run(5)])).rejects.toMatchObject({ code: 'ENOSPC' });
  const missing = [0, 5].filter((index) => !file.has(index));
  expect(missing).toHaveLength(1);

  const grown = await file.write(missing.map(run));

  expect(grown).toBeGreaterThanOrEqual(2 * BLOCK);
  await file.close();
});

it('blocks that come after a header that had no room are there after a remount', async () => {
  const at = await place(new FailingCalls([2]));
  const file = GroupFile.missing(at);
  await expect(file.write([run(0)])).rejects.toMatchObject({ code: 'ENOSPC' });

  await file.write([run(0)]);
  await file.close();

  const later = await GroupFile.open(at);
  expect(later.has(0)).toBe(true);
  await later.close();
});

it('blocks that come after all of the file was lost while it was open are there after a remount [read/kept]', async () => {
  const at = await place(new FailingCalls([]));
  const file = GroupFile.missing(at);
  await file.write([run(0), run(1)]);
  await writeFile(at.path, Buffer.alloc((await readFile(at.path)).length));
  expect(await file.read(0, Buffer.alloc(BLOCK))).toBe(false);

  await file.write([run(0)]);
  await file.close();

  const later = await GroupFile.open(at);
  expect([later.has(0), later.has(1)]).toEqual([true, false]);
  expect(await later.read(0, Buffer.alloc(BLOCK))).toBe(true);
  await later.close();
});

it('a block that another process has written counts as there only once it can be read', async () => {
  const at = await place(new FailingCalls([]));
  const others = GroupFile.missing(at);
  await others.write([run(5)]);
  const reads: Promise<boolean>[] = [];
  let look: () => void = () => undefined;
  const file = GroupFile.missing({
    ...at,
    calls: new FailingCalls([], () => {
      look();
    }),
  });
  look = () => {
    look = file.has(5) ? () => undefined : look;
    if (file.has(5)) reads.push(file.read(5, Buffer.alloc(BLOCK)));
  };

  await file.write([run(0)]);

  expect(await Promise.all(reads)).toEqual([true]);
  await Promise.all([file.close(), others.close()]);
});

it('is let go of also when it was closed while it was created, and that failed', async () => {
  let close: () => void = () => undefined;
  const at = await place(
    new FailingCalls([2], (count) => {
      if (count === 1) close();
    }),
  );
  const file = GroupFile.missing(at);
  close = () => void file.close();

  await expect(file.write([run(0)])).rejects.toMatchObject({ code: 'ENOSPC' });

  expect(openFiles()).not.toContain(at.path);
});

it.each([true, false])(
  'goes on with what is there when it begins to write after others have, itself let go of before: %s',
  async (isClosed) => {
    const at = await place(new FailingCalls([]));
    const [one, other] = [GroupFile.missing(at), GroupFile.missing(at)];
    if (isClosed) await other.close();
    await one.write([run(0)]);

    await other.write([run(5)]);
    await one.write([run(9)]);
    await Promise.all([one.close(), other.close()]);

    const later = await GroupFile.open(at);
    expect([0, 5, 9].map((index) => later.has(index))).toEqual([true, true, true]);
    await later.close();
    expect(openFiles()).not.toContain(at.path);
  },
);

it('is let go of when all are while it is being opened', async () => {
  const at = await place(new FailingCalls([]));
  const file = GroupFile.missing(at);
  await file.write([run(0)]);
  await file.close();
  const groups = new OpenGroups({
    ...at,
    pathOf: () => at.path,
    clock: new ManualClock(),
    orLog: (action) => action(),
  });

  const opening = groups.open('group', at.hash);
  groups.close();
  await opening;

  expect(groups.get('group')).toBeUndefined();
  await expect.poll(openFiles).not.toContain(at.path);
});

function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((number) => {
    try {
      return [realpathSync(`/proc/self/fd/${number}`)];
    } catch {
      return [];
    }
  });
}

it('a small file costs three short calls: it is created, written at once, and counted; a later look has its bytes', async () => {
  let calls = 0;
  const at = await place(new FailingCalls([], (count) => (calls = count)));
  const file = GroupFile.missing(at);
  const blocks = [Buffer.alloc(BLOCK, 7), Buffer.from('end')];

  await file.write([{ first: 0, blocks }]);
  const written = calls;
  await file.close(true);

  const later = await GroupFile.open(at);
  const into = new Uint8Array(BLOCK + 3);
  expect([written, await later.read(0, into)]).toEqual([3, true]);
  expect(Buffer.concat(blocks).equals(into)).toBe(true);
  await later.close();
});

describe('whole blocks that are written past the page cache', () => {
  /** Blocks as the mount has them, each filled with its number and one. */
  function alignedRun(memory: BlockMemory, first: number, count: number): BlockRun {
    const blocks = Array.from({ length: count }, (_, offset) => memory.take(BLOCK).fill(first + offset + 1));
    return { first, blocks };
  }

  async function expectBlocks(at: GroupPlace, first: number, count: number): Promise<void> {
    const later = await GroupFile.open(at);
    const into = Buffer.alloc(count * BLOCK);
    expect(await later.read(first, into)).toBe(true);
    for (let offset = 0; offset < count; offset += 1)
      expect(into.subarray(offset * BLOCK, (offset + 1) * BLOCK)).toEqual(
        Buffer.alloc(BLOCK, first + offset + 1),
      );
    await later.close();
  }

  it('are there after a remount, with the shorter one at the end of the file', async () => {
    const memory = new BlockMemory(BLOCK, alignedMemory);
    const at = await place(new FailingCalls([]), areWholePages);
    const file = GroupFile.missing(at);
    const { blocks } = alignedRun(memory, 0, 9);

    await file.write([{ first: 0, blocks: [...blocks, Buffer.alloc(100, 10)] }]);
    await file.write([alignedRun(memory, 20, 3)]);
    await file.close();

    await expectBlocks(at, 0, 9);
    await expectBlocks(at, 20, 3);
    const later = await GroupFile.open(at);
    const last = Buffer.alloc(100);
    expect(await later.read(9, last)).toBe(true);
    expect(last).toEqual(Buffer.alloc(100, 10));
    await later.close();
  });

  it('go to the file that is held open, not to one that has taken its name', async () => {
    const memory = new BlockMemory(BLOCK, alignedMemory);
    const at = await place(new FailingCalls([]), areWholePages);
    const file = GroupFile.missing(at);
    await file.write([run(0)]);
    await rename(at.path, `${at.path}-held`);
    await writeFile(at.path, 'another');

    await file.write([alignedRun(memory, 1, 8)]);
    await file.close();

    expect(await readFile(at.path, 'utf8')).toBe('another');
    await expectBlocks({ ...at, path: `${at.path}-held` }, 1, 8);
  });

  it('are written as any others where the disk refuses it, which is asked once', async () => {
    // Which disks do, and what they refuse, differs: this is what ext4 says of memory that begins anywhere.
    const refusal = Object.assign(new Error('unaligned'), { code: 'EINVAL' });
    const refusing = await OpenDescriptor.open(new FailingCalls([]), '/dev/null', 'w');
    vi.spyOn(refusing, 'writeTogether').mockRejectedValue(refusal);
    vi.spyOn(OpenDescriptor.prototype, 'openedAgain').mockResolvedValue(refusing);
    onTestFinished(() => void vi.restoreAllMocks());
    const unaligned = (first: number): BlockRun => ({
      first,
      blocks: Array.from({ length: 9 }, (_, offset) =>
        Buffer.alloc(BLOCK + 1, first + offset + 1).subarray(1),
      ),
    });
    const asked: number[] = [];
    const at = await place(new FailingCalls([]), ({ length }) => asked.push(length) > 0);
    const file = GroupFile.missing(at);

    await file.write([unaligned(0)]);
    const askedOnce = asked.length;
    await file.write([unaligned(20)]);
    await file.close();

    expect([askedOnce, asked.length]).toEqual([9, 9]);
    await expectBlocks(at, 0, 9);
    await expectBlocks(at, 20, 9);
  });
});

it('blocks are written as any others when no further file can be opened', async () => {
  const memory = new BlockMemory(BLOCK, alignedMemory);
  const direct = new DirectWrites({
    isAligned: areWholePages,
    isBehind: () => false,
    log: silentLog,
  });
  const refused = {
    openedAgain: () => Promise.reject(Object.assign(new Error('too many'), { code: 'EMFILE' })),
  };

  expect(await direct.open(refused)).toBeNull();

  // There may be fewer later.
  expect(direct.suitable([memory.take(BLOCK)])).toBe(1);
});

it('blocks that come faster than the disk takes them may wait in the page cache', () => {
  const direct = new DirectWrites({ isAligned: () => true, isBehind: () => true, log: silentLog });

  expect(direct.suitable([Buffer.alloc(BLOCK)])).toBe(0);
});
