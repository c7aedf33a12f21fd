import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { openMemoryReturn } from '../../src/cli/memory-return.ts';
import { ManualClock } from '../support/manual-clock.ts';

const MANY = 64 * 1024 * 1024;

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
