/** A socket stands in for the device: what the kernel would send is written to its other end. */
import { closeSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { isToBeTriedAgain, loadDeviceCalls } from '../../../src/fuse/kernel/device-calls.ts';
import { loadSocketCalls } from '../../../src/fuse/kernel/socket-calls.ts';

async function setup() {
  const [near, far] = (await loadSocketCalls()).openPair();
  const calls = await loadDeviceCalls();
  calls.setNonBlocking(near);
  const ends = new Set([near, far]);
  const close = (end: number): void => {
    if (ends.delete(end)) closeSync(end);
  };
  onTestFinished(() => {
    close(near);
    close(far);
  });
  return { calls, near, far, close };
}

it('says at once that there is nothing to read', async () => {
  const { calls, near } = await setup();

  const answer = calls.read(near, Buffer.alloc(8));

  expect(answer).toBe(-constants.errno.EAGAIN);
  expect(isToBeTriedAgain(-answer)).toBe(true);
});

it('reads what has come, and no more', async () => {
  const { calls, near, far } = await setup();
  writeSync(far, 'request');

  const into = Buffer.alloc(100, '.');

  expect(calls.waitForInput(near, 1)).toBe(true);
  expect(calls.read(near, into)).toBe(7);
  expect(into.toString('utf8', 0, 8)).toBe('request.');
  expect(calls.waitForInput(near, 1500.5)).toBe(false);
});

it('wakes when nothing more will come', async () => {
  const { calls, near, far, close } = await setup();
  close(far);

  expect(calls.waitForInput(near, 60_000)).toBe(true);
  expect(calls.read(near, Buffer.alloc(8))).toBe(0);
});

it('knows whether the other end is there, also while something is to be read', async () => {
  const { calls, near, far, close } = await setup();

  expect(calls.isConnected(near)).toBe(true);
  writeSync(far, 'request');
  expect(calls.isConnected(near)).toBe(true);
  close(far);
  expect(calls.isConnected(near)).toBe(false);
});

it('waits as long as it takes for what has come already, or for an alarm that has rung', async () => {
  const { calls, near, far } = await setup();
  const alarm = calls.openAlarm();
  onTestFinished(() => {
    closeSync(alarm);
  });
  writeSync(far, 'request');

  calls.waitForInputOrAlarm(near, alarm);
  calls.read(near, Buffer.alloc(8));
  calls.ring(alarm);
  calls.waitForInputOrAlarm(near, alarm);
  calls.waitForInputOrAlarm(near, alarm);

  expect(calls.waitForInput(alarm, 60_000)).toBe(true);
});

it('tells errors by their number', async () => {
  const { calls } = await setup();

  const answer = calls.read(-1, Buffer.alloc(8));

  expect(answer).toBe(-constants.errno.EBADF);
  expect(isToBeTriedAgain(-answer)).toBe(false);
});
