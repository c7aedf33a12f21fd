/** How much of the disk may a disk cache take, where others need it, too? */
import type { StatsFs } from 'node:fs';
import { beforeEach, expect, it, vi } from 'vitest';
import { CacheRoom } from '../../src/content/disk-cache/cache-room.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const [BLOCKS, BSIZE] = [1000, 512];
const FLOOR = BLOCKS / 20;

/** Free blocks. */
const disk = vi.hoisted(() => ({ bavail: 0 }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const statfs = (): Promise<Partial<StatsFs>> =>
    Promise.resolve({ bavail: disk.bavail, blocks: BLOCKS, bsize: BSIZE });
  return { ...real, statfs };
});

let clock: ManualClock;
let room: CacheRoom;
let used: number;

beforeEach(async () => {
  disk.bavail = BLOCKS;
  used = 0;
  clock = new ManualClock();
  room = new CacheRoom({ directory: await temporaryDirectory(), limit: 100_000, used: () => used, clock });
});

it('its limit, less what others need of that', async () => {
  let others = 0;
  room.shareWith(() => others);
  const alone = await room.limit();

  others = 30_000;

  expect([alone, await room.limit()]).toEqual([100_000, 70_000]);
});

it('what it has and what is free, but for a twentieth of the disk', async () => {
  used = 2000;
  disk.bavail = FLOOR + 10;

  expect(await room.limit()).toBe(2000 + 10 * BSIZE);
});

it('less than it has, when others have filled the disk meanwhile', async () => {
  used = 8 * BSIZE;
  const before = await room.limit();
  disk.bavail = FLOOR - 3;
  clock.advance(999);
  const believed = await room.limit();

  clock.advance(1);

  expect([before, believed, await room.limit()]).toEqual([100_000, 100_000, 5 * BSIZE]);
});
