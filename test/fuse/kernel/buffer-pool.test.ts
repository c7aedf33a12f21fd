import { describe, expect, it } from 'vitest';
import { BufferPool } from '../../../src/fuse/kernel/buffer-pool.ts';

const MIB = 1024 * 1024;

describe('buffers of reads and writes', () => {
  it('are used again once given back, and never while somebody has them', () => {
    const pool = new BufferPool();
    const first = pool.take(MIB);
    const second = pool.take(MIB);

    pool.giveBack(first);
    const third = pool.take(MIB - 1000);

    expect(third).toBe(first);
    expect(second).not.toBe(first);
    expect(pool.take(MIB)).not.toBe(first);
  });

  it('are at least as long as asked for', () => {
    const pool = new BufferPool();
    for (const bytes of [0, 1, 4096, 64 * 1024, 64 * 1024 + 1, MIB + 16]) {
      const buffer = pool.take(bytes);
      pool.giveBack(buffer);

      expect(buffer.length).toBeGreaterThanOrEqual(bytes);
      expect(pool.take(bytes).length).toBeGreaterThanOrEqual(bytes);
    }
  });

  it('are not kept without end', () => {
    const pool = new BufferPool();
    const taken = Array.from({ length: 100 }, () => pool.take(MIB));
    for (const buffer of taken) pool.giveBack(buffer);

    const again = Array.from({ length: 100 }, () => pool.take(MIB));

    expect(again.filter((buffer) => taken.includes(buffer)).length).toBeLessThan(20);
  });
});
