import { describe, expect, it } from 'vitest';
import { BufferPool } from '../../../src/fuse/kernel/buffer-pool.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const MIB = 1024 * 1024;

describe('buffers of reads and writes', () => {
  it('are used again once given back, and never while somebody has them', () => {
    const pool = new BufferPool(new ManualClock());
    const first = pool.take(MIB);
    const second = pool.take(MIB);

    pool.giveBack(first);
    const third = pool.take(MIB - 1000);

    expect(third).toBe(first);
    expect(second).not.toBe(first);
    expect(pool.take(MIB)).not.toBe(first);
  });

  it('are at least as long as asked for', () => {
    const pool = new BufferPool(new ManualClock());
    for (const bytes of [0, 1, 4096, 64 * 1024, 64 * 1024 + 1, MIB + 16]) {
      const buffer = pool.take(bytes);
      pool.giveBack(buffer);

      expect(buffer.length).toBeGreaterThanOrEqual(bytes);
      expect(pool.take(bytes).length).toBeGreaterThanOrEqual(bytes);
    }
  });

  it('are not kept without end', () => {
    const pool = new BufferPool(new ManualClock());
    const taken = Array.from({ length: 100 }, () => pool.take(MIB));
    for (const buffer of taken) pool.giveBack(buffer);

    const again = Array.from({ length: 100 }, () => pool.take(MIB));

    expect(again.filter((buffer) => taken.includes(buffer)).length).toBeLessThan(20);
  });

  it('are hardly larger for the header of an answer', () => {
    const pool = new BufferPool(new ManualClock());

    expect(pool.take(MIB + 16).length).toBeLessThan(1.01 * MIB);
  });

  it('are let go of when nobody has used one for a while, without a timer from then on', () => {
    const clock = new ManualClock();
    const pool = new BufferPool(clock);
    const buffer = pool.take(MIB);

    pool.giveBack(buffer);
    clock.advance(60_000);

    expect(pool.take(MIB)).not.toBe(buffer);
    expect(clock.pendingTimers).toBe(0);
  });
});
