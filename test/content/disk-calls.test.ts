import { expect, it } from 'vitest';
import { DiskCalls } from '../../src/content/disk-calls.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** Calls of a disk that takes `took` milliseconds here, and what they were answered by. */
function disk(): {
  readonly call: (took: number) => Promise<string>;
  readonly clock: ManualClock;
} {
  const clock = new ManualClock();
  const calls = new DiskCalls(clock);
  const call = (took: number): Promise<string> =>
    calls.make(
      () => {
        clock.advance(took);
        return 'here';
      },
      () => Promise.resolve('elsewhere'),
    );
  return { call, clock };
}

it('makes the calls of a quick disk here', async () => {
  const { call } = disk();

  expect([await call(0.1), await call(1), await call(0.1)]).toEqual(['here', 'here', 'here']);
});

it('leaves a disk that was slow to other threads for a while', async () => {
  const { call, clock } = disk();
  expect(await call(50)).toBe('here');

  expect([await call(0), await call(0)]).toEqual(['elsewhere', 'elsewhere']);
  clock.advance(2499);
  expect(await call(0)).toBe('elsewhere');
  clock.advance(1);
  expect(await call(0)).toBe('here');
});

it('comes back soon to a disk that was only a little slow: the processor may have been wanted by others', async () => {
  const { call, clock } = disk();
  expect(await call(3)).toBe('here');

  expect(await call(0)).toBe('elsewhere');
  clock.advance(150);
  expect(await call(0)).toBe('here');
});

it('comes back after a minute, however long the process was stopped', async () => {
  const { call, clock } = disk();
  expect(await call(3_600_000)).toBe('here');

  clock.advance(59_000);
  expect(await call(0)).toBe('elsewhere');
  clock.advance(1000);
  expect(await call(0)).toBe('here');
});

it('takes a slow failure for slow, too', async () => {
  const { clock } = disk();
  const calls = new DiskCalls(clock);
  const failing = calls.make(
    () => {
      clock.advance(50);
      throw new Error('no space');
    },
    () => Promise.resolve(),
  );
  await expect(failing).rejects.toThrow('no space');

  expect(
    await calls.make(
      () => 'here',
      () => Promise.resolve('elsewhere'),
    ),
  ).toBe('elsewhere');
});
