/** How long a line of the bench was idle between an answer and the next request. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Pauses } from '../../bench/network/pauses.ts';

it('a line pauses from an answer to the next request, but not while another connection waits for one', async () => {
  const [pauses, one, other] = [new Pauses(), {}, {}];

  pauses.asked(one);
  pauses.asked(other);
  pauses.answered(one);
  pauses.asked(one);
  pauses.answered(one);
  pauses.answered(other);
  await sleep(5);
  pauses.asked(one);
  pauses.asked(one);

  const [milliseconds = 0, ...more] = pauses.take();
  expect(milliseconds).toBeGreaterThan(4);
  expect(more).toEqual([]);
  expect(pauses.take()).toEqual([]);
});

it('nobody waits any more on a connection that was closed', () => {
  const [pauses, one, other] = [new Pauses(), {}, {}];
  pauses.asked(one);
  pauses.answered(one);
  pauses.asked(other);
  pauses.closed(other);

  pauses.asked(one);

  expect(pauses.take()).toHaveLength(2);
});

it('what was before somebody looked is no pause of what comes next', () => {
  const [pauses, one] = [new Pauses(), {}];
  pauses.asked(one);
  pauses.answered(one);
  pauses.take();

  pauses.asked(one);

  expect(pauses.take()).toEqual([]);
});
