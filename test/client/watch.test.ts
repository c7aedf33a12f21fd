/** When is a call over, what does it leave behind with its caller and the clock, and who hears that it was given up? */
import { getEventListeners } from 'node:events';
import { beforeEach, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { RunningClock } from '../../src/base/running-clock.ts';
import { DEFAULT_RETRY, retrying } from '../../src/client/retry.ts';
import { Watch } from '../../src/client/watch.ts';
import { Refusal } from '../../src/service/refusal.ts';
import { ManualClock } from '../support/manual-clock.ts';

let clock: ManualClock;
let caller: AbortController;
let watch: Watch;

beforeEach(() => {
  clock = new ManualClock();
  caller = new AbortController();
  watch = new Watch(RunningClock.of(clock), { operation: 'headObject', subject: 'k' }, caller.signal);
});

it('a call that is over leaves nothing with a caller whose signal lives on, and no timer', () => {
  watch.limitTotal(1000);
  watch.expect('headers of an answer', 500);

  watch.close();

  expect([getEventListeners(caller.signal, 'abort').length, clock.pendingTimers]).toEqual([0, 0]);
});

it('a call without a deadline has none either after it has waited for its turn', () => {
  const goOn = watch.standStill();
  goOn();

  expect([watch.left(), clock.pendingTimers]).toEqual([Number.POSITIVE_INFINITY, 0]);
});

it('who asks too late whether a call is given up hears it at once', () => {
  caller.abort();
  const heard: Refusal[] = [];

  watch.onceGivenUp((refusal) => heard.push(refusal));

  expect(heard.map(({ kind }) => kind)).toEqual(['aborted']);
  expect(watch.signal().aborted).toBe(true);
});

it('the first reason for which a call is given up stays the one that it is told', () => {
  watch.limitTotal(1000);
  caller.abort();

  clock.advance(1000);

  expect(watch.refusal?.kind).toBe('aborted');
});

it.each([
  { before: 1000, after: 0, tries: 1, pauses: 1, what: 'whose time has passed while it waited' },
  { before: 200, after: 200, tries: 1, pauses: 0, what: 'that has less time left than it would wait' },
])('a call $what is not tried again: its refusal is told', async ({ before, after, tries, pauses }) => {
  const count = { tries: 0, pauses: 0, left: before };
  const busy = new Refusal('unavailable', 'busy', { operation: 'headObject', subject: 'k', status: 503 });
  const attempt = (): Promise<never> => {
    count.tries += 1;
    return Promise.reject(busy);
  };
  const pause = (): Promise<boolean> => {
    count.pauses += 1;
    count.left = after;
    return Promise.resolve(true);
  };
  const left = (): number => count.left;

  await expect(
    retrying(attempt, { policy: DEFAULT_RETRY, random: () => 0, log: silentLog, pause, left }),
  ).rejects.toBe(busy);

  expect(count).toMatchObject({ tries, pauses });
});
