import { describe, expect, it } from 'vitest';
import { SingleFlight } from '../../src/base/single-flight.ts';
import { Interrupted, RETURN_TIME } from '../../src/base/waiter.ts';
import { ManualClock } from '../support/manual-clock.ts';

interface Asked {
  readonly signal: AbortSignal;
  readonly answer: (text: string) => void;
  readonly refuse: (error: Error) => void;
}

/** A flight whose questions are answered by the test. */
function begin() {
  const clock = new ManualClock();
  const flight = new SingleFlight<string, string>(clock);
  const asked: Asked[] = [];
  const ask = (signal?: AbortSignal): Promise<string> =>
    flight.run(
      'key',
      (signalOfQuestion) =>
        new Promise((answer, refuse) => asked.push({ signal: signalOfQuestion, answer, refuse })),
      { signal },
    );
  return { clock, flight, asked, ask };
}

describe('several who want the same answer', () => {
  it('ask once, and once more when it is there', async () => {
    const { asked, ask } = begin();
    const both = [ask(), ask(new AbortController().signal)];
    asked[0]?.answer('first');
    expect(await Promise.all(both)).toEqual(['first', 'first']);
    const later = ask();
    asked[1]?.answer('second');

    expect(await later).toBe('second');
    expect(asked).toHaveLength(2);
  });

  it('go on when one of them leaves', async () => {
    const { clock, asked, ask } = begin();
    const leaving = new AbortController();
    const gone = ask(leaving.signal);
    const stays = ask(new AbortController().signal);
    leaving.abort();
    await expect(gone).rejects.toThrow(Interrupted);
    clock.advance(10 * RETURN_TIME);

    expect(asked[0]?.signal.aborted).toBe(false);
    asked[0]?.answer('here');
    expect(await stays).toBe('here');
  });

  it('are answered by a new question when all before them have left', async () => {
    const { clock, asked, ask } = begin();
    const leaving = [new AbortController(), new AbortController()];
    const gone = leaving.map(({ signal }) => ask(signal));
    for (const controller of leaving) controller.abort();
    for (const result of gone) await expect(result).rejects.toThrow(Interrupted);
    clock.advance(RETURN_TIME);
    const late = ask();
    asked[0]?.refuse(new Error('given up'));
    asked[1]?.answer('anew');

    expect(asked[0]?.signal.aborted).toBe(true);
    expect(await late).toBe('anew');
  });

  it('take over a question that somebody has left only just now', async () => {
    const { clock, asked, ask } = begin();
    const leaving = new AbortController();
    const gone = ask(leaving.signal);
    leaving.abort();
    await expect(gone).rejects.toThrow(Interrupted);
    clock.advance(RETURN_TIME / 2);
    const again = ask(new AbortController().signal);
    clock.advance(RETURN_TIME);
    asked[0]?.answer('in time');

    expect(await again).toBe('in time');
    expect(asked).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('are not told of a question that was forgotten, and whose only waiter left', async () => {
    const { clock, flight, asked, ask } = begin();
    const leaving = new AbortController();
    const gone = ask(leaving.signal);
    flight.forget('key');
    const next = ask();
    leaving.abort();
    await expect(gone).rejects.toThrow(Interrupted);
    clock.advance(RETURN_TIME);
    asked[1]?.answer('next');

    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    expect(await next).toBe('next');
  });

  it('ask nothing for somebody who has left before', async () => {
    const { asked, ask } = begin();

    await expect(ask(AbortSignal.abort())).rejects.toThrow(Interrupted);
    expect(asked).toHaveLength(0);
  });
});
