import { describe, expect, it } from 'vitest';
import { RunningClock } from '../../src/base/running-clock.ts';
import { ManualClock } from '../support/manual-clock.ts';

const HOUR = 3_600_000;

function opened(): { clock: ManualClock; running: RunningClock } {
  const clock = new ManualClock();
  return { clock, running: RunningClock.of(clock) };
}

describe('the running clock', () => {
  it('is one for all who go by the same clock', () => {
    const clock = new ManualClock();

    expect(RunningClock.of(clock)).toBe(RunningClock.of(clock));
    expect(RunningClock.of(clock)).not.toBe(RunningClock.of(new ManualClock()));
  });

  it('counts all time as long as somebody waits', () => {
    const { clock, running } = opened();
    const stop = running.count();

    clock.advance(HOUR);

    expect(running.monotonic()).toBe(HOUR);
    stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('counts next to nothing of time in which the process stood still', () => {
    const { clock, running } = opened();
    running.count();
    clock.advance(3000);

    clock.standStill(HOUR);
    clock.advance(700);

    expect(running.monotonic()).toBe(3800);
  });

  it('lets an action wait for time in which the process could run, once', () => {
    const { clock, running } = opened();
    let times = 0;
    running.after(60_000, () => (times += 1));
    clock.advance(30_000);

    clock.standStill(HOUR);
    clock.advance(29_899);
    const before = times;
    clock.advance(1);
    clock.advance(HOUR);

    expect([before, times, clock.pendingTimers]).toEqual([0, 1, 0]);
  });

  it('comes to an end also for a process that stands still again and again', () => {
    const { clock, running } = opened();
    let isOver = false;
    running.after(20_000, () => (isOver = true));

    for (let times = 0; times < 200; times += 1) clock.standStill(30_000);

    expect(isOver).toBe(true);
  });

  it('does not wait any more for what is called off', () => {
    const { clock, running } = opened();
    const cancel = running.after(5000, () => expect.unreachable());
    clock.advance(3000);

    cancel();
    cancel();

    expect(clock.pendingTimers).toBe(0);
    clock.advance(HOUR);
  });

  it('is not hurt by a wall clock that is set, back or forward', () => {
    const { clock, running } = opened();
    let isOver = false;
    running.after(60_000, () => (isOver = true));

    clock.sleepThrough(-365 * 24 * HOUR);
    clock.advance(30_000);
    clock.sleepThrough(24 * HOUR);
    clock.advance(29_999);
    const before = isOver;
    clock.advance(1);

    expect([before, isOver]).toEqual([false, true]);
  });
});

describe('a sleep', () => {
  it('is noticed when somebody waited meanwhile, and for a while afterwards', () => {
    const { clock, running } = opened();
    running.count();
    clock.advance(5000);
    const before = running.hasWokenWithin(60_000);

    clock.standStill(HOUR);
    const after = running.hasWokenWithin(60_000);
    clock.advance(60_000);

    expect([before, after, running.hasWokenWithin(60_000)]).toEqual([false, true, false]);
  });

  it('of the machine is noticed by the clock on the wall, also when nobody waited', () => {
    const { clock, running } = opened();

    clock.sleepThrough(HOUR);
    const after = running.hasWokenWithin(60_000);
    clock.advance(60_000);

    expect([after, running.hasWokenWithin(60_000)]).toEqual([true, false]);
  });

  it('is none that nobody asked for an hour', () => {
    const { clock, running } = opened();

    clock.advance(HOUR);

    expect(running.hasWokenWithin(60_000)).toBe(false);
  });

  it('is no moment in which a busy process did not come to it', () => {
    const { clock, running } = opened();
    running.count();

    clock.standStill(9000);

    expect(running.hasWokenWithin(60_000)).toBe(false);
  });
});
