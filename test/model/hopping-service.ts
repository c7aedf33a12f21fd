/** How does a test let requests overtake each other? Each waits a number of turns, from a seed, before and after it is served. */
import type { ObjectService } from '../../src/service/object-service.ts';
import { Refusal } from '../../src/service/refusal.ts';
import { InterceptedService } from '../support/intercepted-service.ts';

/** Turns of the event loop that a request waits at most, each way. */
const MOST_HOPS = 8;

/** Numbers in [0, limit), the same for the same seed. */
export type Dice = (limit: number) => number;

export function diceOf(seed: number): Dice {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

export async function hops(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** `inner`, out of order; one request in `faultEvery` is refused or its answer lost (0: none). */
export function hoppingService(inner: ObjectService, dice: Dice, faultEvery: number): ObjectService {
  return new InterceptedService(inner, async ({ operation }, proceed) => {
    await hops(dice(MOST_HOPS));
    const fault = faultEvery > 0 && dice(faultEvery) === 0 ? dice(3) : null;
    if (fault === 0) throw new Refusal('unavailable', 'injected', { operation, status: 503 });
    if (fault === 1 && operation === 'putObject')
      throw new Refusal('paused', 'injected', { operation, status: 402 });
    const answer = await proceed();
    await hops(dice(MOST_HOPS));
    if (fault !== null) throw new Refusal('unavailable', 'injected: lost answer', { operation });
    return answer;
  });
}
