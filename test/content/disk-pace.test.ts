import { describe, expect, it } from 'vitest';
import { DiskPace } from '../../src/content/disk-pace.ts';
import { ManualClock } from '../support/manual-clock.ts';

const MIB = 1024 * 1024;

/** Writes `count` MiB, each of which takes so many milliseconds. */
async function write(pace: DiskPace, clock: ManualClock, count: number, each: number): Promise<void> {
  for (let written = 0; written < count; written += 1)
    await pace.timed(MIB, () => {
      clock.advance(each);
      return Promise.resolve();
    });
}

describe('whether a disk is worth to be waited for', () => {
  it('it is while it takes a gigabyte a second, with a moment now and then in which it takes none', async () => {
    const clock = new ManualClock();
    const pace = new DiskPace(clock);

    for (let look = 0; look < 10; look += 1) {
      await write(pace, clock, 31, 1);
      await write(pace, clock, 1, 40);
    }

    expect(pace.isSlow).toBe(false);
  });

  it('it is not while it takes a hundred megabytes a second, which is known before it has taken much', async () => {
    const clock = new ManualClock();
    const pace = new DiskPace(clock);

    await write(pace, clock, 8, 10);
    const early = pace.isSlow;
    await write(pace, clock, 1, 10);

    expect([early, pace.isSlow]).toEqual([false, true]);
  });

  it('it is when several write side by side, as fast together', async () => {
    const clock = new ManualClock();
    const pace = new DiskPace(clock);
    const side = async (): Promise<void> => {
      for (let written = 0; written < 50; written += 1)
        await pace.timed(MIB, () => new Promise<void>((resolve) => clock.after(4, resolve)));
    };
    const all = Promise.all([side(), side(), side(), side()]);

    for (let time = 0; time < 250; time += 1) {
      clock.advance(1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await all;

    expect(pace.isSlow).toBe(false);
  });

  it('is asked again after half a minute', async () => {
    const clock = new ManualClock();
    const pace = new DiskPace(clock);
    await write(pace, clock, 9, 10);

    clock.advance(30_000);
    const again = pace.isSlow;
    await write(pace, clock, 64, 1);

    expect([again, pace.isSlow]).toEqual([false, false]);
  });

  it('counts what failed as well', async () => {
    const clock = new ManualClock();
    const pace = new DiskPace(clock);
    const failing = pace.timed(MIB, () => {
      clock.advance(1000);
      return Promise.reject(new Error('no'));
    });

    await expect(failing).rejects.toThrow('no');
    expect(pace.isSlow).toBe(true);
  });
});
