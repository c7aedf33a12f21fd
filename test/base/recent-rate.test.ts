import { expect, it } from 'vitest';
import { RecentRate } from '../../src/base/recent-rate.ts';
import { ManualClock } from '../support/manual-clock.ts';

it('a rate is that of the last ten seconds, and goes down to nothing', () => {
  const clock = new ManualClock();
  const rate = new RecentRate(clock);

  rate.add(40);
  clock.advance(5000);
  rate.add(60);

  expect(rate.perSecond()).toBe(10);
  clock.advance(5000);
  expect(rate.perSecond()).toBe(6);
  clock.advance(60_000);
  expect(rate.perSecond()).toBe(0);
});
