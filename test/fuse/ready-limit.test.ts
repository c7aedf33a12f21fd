import { expect, it } from 'vitest';
import { withinReadyLimit } from '../../src/fuse/ready-limit.ts';
import { ManualClock } from '../support/manual-clock.ts';

const tooLate = (): Error => new Error('too late');

it('a mount that the kernel says nothing about is given up after twenty seconds', async () => {
  const clock = new ManualClock();

  const ready = withinReadyLimit(clock, tooLate, () => undefined);
  clock.advance(20_000);

  await expect(ready).rejects.toThrow('too late');
  expect(clock.pendingTimers).toBe(0);
});

it('a mount is not given up for time in which its process could not run: the kernel may have spoken meanwhile', async () => {
  const clock = new ManualClock();
  let speak: (word: string) => void = () => undefined;

  const ready = withinReadyLimit<string>(clock, tooLate, (resolve) => {
    speak = resolve;
  });
  clock.standStill(60_000);
  speak('here I am');

  await expect(ready).resolves.toBe('here I am');
  expect(clock.pendingTimers).toBe(0);
});

it('a mount that cannot begin leaves nothing behind', async () => {
  const clock = new ManualClock();

  const ready = withinReadyLimit(clock, tooLate, () => {
    throw new Error('no');
  });

  await expect(ready).rejects.toThrow('no');
  expect(clock.pendingTimers).toBe(0);
});
