import { expect, it } from 'vitest';
import { Pauses } from '../../bench/network/pauses.ts';

it('a line pauses from an answer to the next request, but not while another connection waits for one', () => {
  const [pauses, one, other] = [new Pauses(), {}, {}];

  pauses.asked(one);
  pauses.asked(other);
  pauses.answered(one);
  pauses.asked(one);
  pauses.answered(one);
  pauses.answered(other);
  pauses.asked(one);
  pauses.asked(one);
  pauses.closed(one);

  expect(pauses.take()).toHaveLength(1);
  expect(pauses.take()).toEqual([]);
});
