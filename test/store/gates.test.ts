/** How many requests of a kind are under way, and who comes next? */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createGates, type Gate } from '../../src/store/gates.ts';

const PLACES = 16;

interface Held {
  readonly isUnderWay: () => boolean;
  readonly end: () => void;
  readonly ended: Promise<unknown>;
}

/** A task that goes on until `end`. */
function hold(gate: Gate): Held {
  let begun = false;
  let end = (): void => undefined;
  const ended = gate(async () => {
    begun = true;
    await new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  return {
    isUnderWay: () => begun,
    end: () => {
      end();
    },
    ended,
  };
}

/** A task that pauses until `goOn`, and then goes on until `end`; or is given up while it waits. */
function pauseIn(gate: Gate) {
  let isBack = false;
  let goOn = (): void => undefined;
  let end = (): void => undefined;
  let giveUp = (): void => undefined;
  const ended = gate(async (pausing) => {
    const pause = async (): Promise<void> => {
      await pausing?.(
        () =>
          new Promise((resolve) => {
            goOn = resolve;
          }),
      );
      isBack = true;
      await new Promise<void>((resolve) => {
        end = resolve;
      });
    };
    const givenUp = new Promise<void>((resolve) => {
      giveUp = resolve;
    });
    await Promise.race([pause(), givenUp]);
  });
  return {
    isBack: () => isBack,
    ended,
    goOn: () => {
      goOn();
    },
    end: () => {
      end();
    },
    giveUp: () => {
      giveUp();
    },
  };
}

async function fill(gate: Gate): Promise<Held[]> {
  const held = Array.from({ length: PLACES }, () => hold(gate));
  await nextTurn();
  return held;
}

describe('a gate', () => {
  it('lets sixteen tasks be under way, and the next when one has ended', async () => {
    const gate = createGates().reads;
    const held = await fill(gate);
    const next = hold(gate);
    await nextTurn();

    expect(held.every(({ isUnderWay }) => isUnderWay())).toBe(true);
    expect(next.isUnderWay()).toBe(false);
    held[0]?.end();
    await nextTurn();

    expect(next.isUnderWay()).toBe(true);
  });

  it('lets others have the place of each that pauses, and never more than sixteen go on', async () => {
    const gate = createGates().reads;
    const pausing = Array.from({ length: 3 * PLACES }, () => pauseIn(gate));
    await nextTurn();
    const held = await fill(gate);
    expect(held.every(({ isUnderWay }) => isUnderWay())).toBe(true);

    for (const { goOn } of pausing) goOn();
    await nextTurn();
    expect(pausing.filter(({ isBack }) => isBack())).toHaveLength(0);
    const last = hold(gate);
    for (const { end } of held) end();
    await nextTurn();

    expect(pausing.filter(({ isBack }) => isBack())).toHaveLength(PLACES);
    expect(last.isUnderWay()).toBe(false);
  });

  it('has those go on first that have paused, in their order', async () => {
    const gate = createGates().reads;
    const pausing = [pauseIn(gate), pauseIn(gate)];
    await nextTurn();
    const held = await fill(gate);
    const next = hold(gate);
    for (const { goOn } of pausing) goOn();
    await nextTurn();

    held[0]?.end();
    await nextTurn();
    expect(pausing.map(({ isBack }) => isBack())).toEqual([true, false]);
    held[1]?.end();
    await nextTurn();
    expect(pausing.map(({ isBack }) => isBack())).toEqual([true, true]);
    expect(next.isUnderWay()).toBe(false);
  });

  it.each(['pauses', 'waits for its turn'])(
    'loses no place with a task that is given up while it %s',
    async (when) => {
      const gate = createGates().reads;
      const pausing = pauseIn(gate);
      await nextTurn();
      const held = await fill(gate);
      if (when !== 'pauses') pausing.goOn();
      await nextTurn();
      pausing.giveUp();
      await pausing.ended;

      for (const { end } of held) end();
      await nextTurn();
      const again = await fill(gate);
      const next = hold(gate);
      await nextTurn();

      expect(again.every(({ isUnderWay }) => isUnderWay())).toBe(true);
      expect(next.isUnderWay()).toBe(false);
    },
  );

  it('has a place for others when a task fails', async () => {
    const gate = createGates().reads;
    await expect(gate(() => Promise.reject(new Error('x')))).rejects.toThrow('x');
    const held = await fill(gate);

    expect(held.every(({ isUnderWay }) => isUnderWay())).toBe(true);
  });
});
