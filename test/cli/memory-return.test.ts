import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { alignedMemory } from '../../src/base/aligned-memory.ts';
import { BlockMemory } from '../../src/base/block-memory.ts';
import { silentLog } from '../../src/base/log.ts';
import { openMemoryReturn } from '../../src/cli/memory-return.ts';
import { BLOCK_SIZE } from '../../src/content/block-cache.ts';
import { ManualClock } from '../support/manual-clock.ts';

const MANY = 64 * 1024 * 1024;

/** What blocks lay in whose memory has just been let go of, and looked for. */
function piecesLetGo(giveBack: () => void): readonly WeakRef<ArrayBufferLike>[] {
  const memory = new BlockMemory(BLOCK_SIZE, alignedMemory);
  const blocks = Array.from({ length: MANY / BLOCK_SIZE }, () => memory.take(BLOCK_SIZE));
  const pieces = [...new Set(blocks.map(({ buffer }) => buffer))].map((piece) => new WeakRef(piece));
  for (const block of blocks) memory.letGo(block);
  memory.trimTo(0);
  giveBack();
  return pieces;
}

it('blocks that nobody holds any more go, though their pieces were looked for just before', async () => {
  const clock = new ManualClock();
  const giveBack = await openMemoryReturn(clock, silentLog);

  const pieces = piecesLetGo(giveBack);
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(1000);

  expect(pieces).toHaveLength(16);
  expect(pieces.filter((piece) => piece.deref() !== undefined)).toEqual([]);
});

it('memory that nobody holds any more leaves the process when that is asked for, without a timer from then on', async () => {
  const clock = new ManualClock();
  const giveBack = await openMemoryReturn(clock, silentLog);
  const before = process.memoryUsage().arrayBuffers;
  const held: Uint8Array[] = [new Uint8Array(MANY)];
  const between = process.memoryUsage().arrayBuffers;

  held.length = 0;
  giveBack();
  clock.advance(60_000);

  await expect.poll(() => process.memoryUsage().arrayBuffers - before).toBeLessThan(MANY / 2);
  expect(between - before).toBeGreaterThanOrEqual(MANY);
  expect(clock.pendingTimers).toBe(0);
  expect(runInNewContext('typeof gc')).toBe('undefined');
});
