import { afterEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { ThreadLocals } from '../../../src/fuse/native/thread-locals.ts';

describe('the records of libfuse’s threads', () => {
  afterEach(() => {
    delete process.env['FUSE_THREAD_STACK'];
  });

  it('stop growing at the limit, with one warning', () => {
    const warn = vi.fn();
    const threads = new ThreadLocals({ ...silentLog, warn }, 3);
    threads.allocate(360);
    threads.allocate(360);
    expect(process.env['FUSE_THREAD_STACK']).toBeUndefined();
    threads.allocate(360);
    threads.allocate(360);

    expect(process.env['FUSE_THREAD_STACK']).toBe('-2147483648');
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('give utimens the mtime that the addon forgets', () => {
    const threads = new ThreadLocals(silentLog);
    const record = threads.allocate(360);
    record.writeBigUInt64LE(1_000_000n, 104);
    record.writeBigUInt64LE(8_000_000_000_500n, 112);

    expect(threads.withTrueTimes(record, ['/a', 1_000_000, 0, 1_000_000, 0])).toEqual([
      '/a',
      1_000_000,
      8_000_000_000_500,
    ]);
  });

  it('are not believed when their size or content is another than known', () => {
    const raw = ['/a', 1000, 0, 1000, 0];
    const larger = new ThreadLocals(silentLog);
    const strange = new ThreadLocals(silentLog);
    const otherwise = larger.allocate(368);
    otherwise.writeBigUInt64LE(1000n, 104);

    expect(larger.withTrueTimes(otherwise, raw)).toEqual(['/a', 1000, 1000]);
    expect(strange.withTrueTimes(strange.allocate(360).fill(7), raw)).toEqual(['/a', 1000, 1000]);
  });

  it('turn times before 1970 into 1970', () => {
    const threads = new ThreadLocals(silentLog);
    const record = threads.allocate(360);
    record.writeBigInt64LE(-5000n, 104);
    record.writeBigInt64LE(-7000n, 112);

    expect(threads.withTrueTimes(record, ['/a', 2 ** 32 - 5000, 2 ** 32 - 1])).toEqual(['/a', 0, 0]);
  });
});
