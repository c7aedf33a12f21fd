import { describe, expect, it } from 'vitest';
import { IdleWatch } from '../../src/base/idle-watch.ts';
import { ManualClock } from '../support/manual-clock.ts';

const LIMIT = 1000;

function watched(): { clock: ManualClock; watch: IdleWatch; told: () => number } {
  const clock = new ManualClock();
  let told = 0;
  return { clock, watch: new IdleWatch(clock, LIMIT, () => void (told += 1)), told: () => told };
}

describe('a thing that is watched', () => {
  it('is said to be idle once, when nobody has used it for a while', () => {
    const { clock, watch, told } = watched();

    watch.used();
    clock.advance(10 * LIMIT);

    expect(told()).toBe(1);
  });

  it('is not idle while it is used now and then', () => {
    const { clock, watch, told } = watched();

    for (let times = 0; times < 20; times += 1) {
      watch.used();
      clock.advance(LIMIT / 2);
    }

    expect(told()).toBe(0);
  });

  it('has a timer only between its use and its rest, however often it is used', () => {
    const { clock, watch } = watched();
    const before = clock.pendingTimers;

    for (let times = 0; times < 100; times += 1) watch.used();
    const used = clock.pendingTimers;
    clock.advance(2 * LIMIT);

    expect([before, used, clock.pendingTimers]).toEqual([0, 1, 0]);
  });

  it('is said to be idle again after another use', () => {
    const { clock, watch, told } = watched();
    watch.used();
    clock.advance(2 * LIMIT);

    watch.used();
    clock.advance(2 * LIMIT);

    expect(told()).toBe(2);
  });
});
