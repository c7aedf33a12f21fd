import { describe, expect, it } from 'vitest';
import { SharedRun } from '../../src/base/shared-run.ts';

/** An action whose runs end when the test says so. */
function heldAction() {
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const action = (): Promise<void> =>
    new Promise((resolve, reject) => {
      ends.push({ resolve, reject });
    });
  return { ends, action };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a shared run', () => {
  it('begins after the call of each who waits for it, and serves all who came meanwhile at once', async () => {
    const { ends, action } = heldAction();
    const runs = new SharedRun(action);
    const done: string[] = [];
    const call = (name: string): Promise<void> =>
      runs.run().then(() => {
        done.push(name);
      });

    const first = call('first');
    await settle();
    const others = [call('second'), call('third')];
    await settle();
    const begunMeanwhile = ends.length;
    ends[0]?.resolve();
    await first;
    await settle();
    const doneAfterFirst = [...done];
    ends[1]?.resolve();
    await Promise.all(others);

    expect(begunMeanwhile).toBe(1);
    expect(doneAfterFirst).toEqual(['first']);
    expect(done).toEqual(['first', 'second', 'third']);
    expect(ends).toHaveLength(2);
  });

  it('that fails fails for those it served, and the next is tried', async () => {
    const { ends, action } = heldAction();
    const runs = new SharedRun(action);

    const failing = runs.run();
    await settle();
    const next = runs.run();
    ends[0]?.reject(new Error('no'));
    await expect(failing).rejects.toThrow('no');
    await settle();
    ends[1]?.resolve();

    await expect(next).resolves.toBeUndefined();
  });
});
